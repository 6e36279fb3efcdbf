// Reads the request that creates a verification session: fills in its defaults, or refuses it.
import {
  type CreateVerificationSessionRequest,
  type HandoffPolicy,
  SESSION_EXPIRY_MAX_SECONDS,
  SESSION_EXPIRY_MIN_SECONDS,
} from '@limen/contract';
import type { Operation } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { named, type Puid } from '../../platform/base/ids.ts';
import { readCallback } from '../../webhooks/callback.ts';
import type { DebugLevel, VerificationContents, VerificationStep } from '../lifecycle/kinds.ts';
import { readLocale, readRequester, requireRedirectUrl } from '../lifecycle/read-contents.ts';

/** The person who began a sign-in on another device may not be the person who finishes it. */
const DEFAULT_HANDOFF: HandoffPolicy = 'review';
/** ISO 8601 with a time of day; without an offset it is UTC. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

const DEBUG_LEVELS = { '1': 1, '2': 2, '3': 3 } as const;

export function readContents(
  body: CreateVerificationSessionRequest,
  simulable: boolean,
  label: string | null,
): VerificationContents {
  const { type } = body;
  const isEnroll = type === 'ENROLL';
  if (body.contact && !isEnroll) throw invalid('body.contact', 'is only for ENROLL');
  return {
    type,
    requirements: readRequirements(type, body.requirements ?? ['face']),
    userId: readUserId(body),
    redirectUrl: requireRedirectUrl(body.redirectURL, 'body.redirectURL'),
    handoff: body.handoff ?? DEFAULT_HANDOFF,
    light: body.light,
    callback: readCallback(body.callback),
    locale: readSessionLocale(body),
    enableDesktop: body.enableDesktop ?? false,
    sendImages: body.sendImages ?? false,
    estimateAge: isEnroll && (body.estimateAge ?? false),
    contact: body.contact ?? [],
    transactionId: body.transactionID,
    debugLevel: readDebugLevel(body.debugMode),
    simulable,
    requester: readRequester(label),
  };
}

export function readExpiry(value: number | string | undefined, now: number, ttlMs: number): number {
  if (value === undefined) return now + ttlMs;
  if (typeof value === 'number') return now + Math.round(value * 1000);
  const at = ISO_TIME.test(value) ? Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`) : Number.NaN;
  if (Number.isNaN(at)) {
    const sentence = ISO_DATE.test(value)
      ? 'must have a time of day: a date alone names no moment; send a time such as 2026-03-01T12:30:00Z'
      : 'must be a number of seconds, or a time such as 2026-03-01T12:30:00Z';
    throw invalid('body.sessionExpiry', sentence);
  }
  if (at < now + SESSION_EXPIRY_MIN_SECONDS * 1000 || at > now + SESSION_EXPIRY_MAX_SECONDS * 1000) {
    throw invalid('body.sessionExpiry', 'must be a time from 1 second to 24 hours from now');
  }
  return at;
}

/** Returns the requirements in the order of their steps. */
function readRequirements(type: Operation, requested: readonly VerificationStep[]): VerificationStep[] {
  if (!requested.includes('face')) throw invalid('body.requirements', 'must contain face, which is always required');
  if (type !== 'ENROLL' && requested.includes('identity_document')) {
    throw invalid('body.requirements', 'may contain identity_document for ENROLL only');
  }
  return (['face', 'identity_document', 'passkey'] as const).filter((step) => requested.includes(step));
}

function readUserId({ type, userId }: CreateVerificationSessionRequest): Puid | undefined {
  if (type !== 'VERIFY') {
    if (userId === undefined) return undefined;
    throw invalid('body.userId', `must not be sent with ${type}: only VERIFY compares with one person`);
  }
  if (userId === undefined) throw invalid('body.userId', 'is required for VERIFY: the puid of the person');
  return named(userId);
}

function readSessionLocale({ type, locale }: CreateVerificationSessionRequest): string {
  if (locale === undefined && type !== 'ENROLL') throw invalid('body.locale', `is required for ${type}`);
  return readLocale(locale);
}

function readDebugLevel(mode: CreateVerificationSessionRequest['debugMode']): DebugLevel {
  if (!Array.isArray(mode)) return mode ? 1 : 0;
  return mode.map((level) => DEBUG_LEVELS[level]).reduce<DebugLevel>((a, b) => (a > b ? a : b), 0);
}
