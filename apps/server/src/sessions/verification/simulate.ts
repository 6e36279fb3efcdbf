// The test mode: what a session would have come to, so that an integration can be tried without a face.
import { randomUUID } from 'node:crypto';
import type { SimulateVerificationSessionRequest } from '@limen/contract';
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { named, type PersonId, type Puid } from '../../platform/base/ids.ts';
import { chooseLight, type LightChallenge } from '../device/light.ts';
import type { VerificationContents } from '../lifecycle/kinds.ts';
import { listPossibleReasons } from '../lifecycle/reasons.ts';
import { makeUpRisk, withReason } from '../risk/simulate.ts';
import { FINDING_FLAGS } from '../risk/table.ts';
import type { VerificationEnding } from './end-session.ts';
import { noPerson, type VerificationAnswer } from './rules.ts';

const AGE = 30;
const MATCH_SCORE = 0.9;

/** Whom a success names: who was asked for, whoever the host wants to sign in, or somebody made up. */
export function puidOf(
  { type, userId }: VerificationContents,
  { outcome, puid }: SimulateVerificationSessionRequest,
): Puid {
  if (puid !== undefined && (type !== 'SIGN-IN' || outcome !== 'success')) {
    throw invalid('body.puid', 'is only for the outcome success of a SIGN-IN');
  }
  return userId ?? named(puid ?? randomUUID());
}

/** `puid` and `guid` name a person that nobody is: nothing is enrolled or found. */
export function endingOf(
  contents: VerificationContents,
  request: SimulateVerificationSessionRequest,
  { puid, guid, now, challenge = 'flag' }: { puid: Puid; guid: string; now: number; challenge?: LightChallenge },
): VerificationEnding {
  requireFitting(contents, request);
  const { outcome, errorCode, retryAfter, newDevice = false } = request;
  const { indicators, cameraSigns, flags } = makeUpRisk('verification', withReason(request), {
    handoff: contents.handoff !== 'refuse',
    light:
      outcome === 'success' || isMismatch(request) ? (chooseLight(contents.light, challenge) ?? 'not_asked') : 'none',
    lightEnforced: challenge === 'enforce',
    camera: true,
    document: contents.requirements.includes('identity_document') && (outcome === 'success' || isMismatch(request)),
    documentFile: false,
  });
  const madeUp = { flags, ...(retryAfter !== undefined && { retryAfter }) };
  switch (outcome) {
    case 'expired':
      return { end: { end: outcome }, indicators, cameraSigns, madeUp };
    case 'cancelled':
      return {
        end: { end: outcome, ...(errorCode !== undefined && { code: errorCode }) },
        indicators,
        cameraSigns,
        madeUp,
      };
    case 'spoof':
      return { end: { answer: { face: { spoof: true } } }, indicators, cameraSigns, madeUp };
    case 'not_recognized': {
      const code = errorCode ?? noPerson(contents.type);
      // Of a document the answer tells; of anything else the service has told the device.
      const end = isMismatch(request)
        ? { answer: answerOf(contents, now, false) }
        : { end: 'cancelled' as const, code };
      return { end, indicators, cameraSigns, madeUp };
    }
    case 'success': {
      const personId = named<PersonId>(`${puid}`); // there is no such row
      const person = { personId, puid, guid, by: 'local' } as const;
      const passkey = { personId, credentialId: '' };
      const contact = request.contactInformation;
      return {
        end: { answer: { ...answerOf(contents, now), ...(contact && { contact }) } },
        indicators,
        cameraSigns,
        madeUp: { ...madeUp, person, passkey, selfie: SAMPLE_SELFIE, newDevice },
      };
    }
  }
}

function isMismatch({ errorCode }: SimulateVerificationSessionRequest): boolean {
  return errorCode === AGE_ERROR_CODES.faceMismatch;
}

/** What the outcome or the session has no place for would be left out in silence. */
function requireFitting(contents: VerificationContents, request: SimulateVerificationSessionRequest): void {
  const { outcome, errorCode, retryAfter, contactInformation, newDevice, flags = [] } = request;
  if (errorCode !== undefined) requireCode(contents, outcome, errorCode);
  if (retryAfter !== undefined && outcome !== 'not_recognized' && outcome !== 'spoof') {
    throw invalid('body.retryAfter', 'is only for a failure: the outcome not_recognized or spoof');
  }
  const newDeviceAt = flags.indexOf(FINDING_FLAGS.newDevice.code);
  if (newDeviceAt >= 0 && outcome !== 'success') {
    throw invalid(
      `body.flags.${newDeviceAt}`,
      'is about somebody who was recognized, so it is only for the outcome success',
    );
  }
  if (newDevice && outcome !== 'success') throw invalid('body.newDevice', 'is only for the outcome success');
  if (contactInformation === undefined) return;
  if (outcome !== 'success') throw invalid('body.contactInformation', 'is only for the outcome success');
  for (const field of Object.keys(contactInformation) as (keyof typeof contactInformation)[]) {
    if (!contents.contact.includes(field)) {
      throw invalid(
        `body.contactInformation.${field}`,
        `was not asked for; create the session with contact: ["${field}"]`,
      );
    }
  }
}

function requireCode(
  { type, requirements, enableDesktop }: VerificationContents,
  outcome: SimulateVerificationSessionRequest['outcome'],
  code: number,
): void {
  const document = requirements.includes('identity_document');
  const failures: number[] = [
    noPerson(type),
    ...(requirements.includes('passkey') ? [VERIFICATION_ERROR_CODES.passkeyRefused] : []),
    ...(document ? [AGE_ERROR_CODES.faceMismatch] : []),
  ];
  const reasons = listPossibleReasons({ face: true, document, enableDesktop });
  const possible = outcome === 'not_recognized' ? failures : outcome === 'cancelled' ? reasons : [];
  if (possible.includes(code)) return;
  const which = possible.length > 0 ? `: ${possible.join(', ')}` : '; it has none';
  throw invalid('body.errorCode', `must be a code that the outcome ${outcome} of this session can have${which}`);
}

function answerOf(
  { estimateAge, requirements }: VerificationContents,
  now: number,
  isSameFace = true,
): VerificationAnswer {
  const verifiedAt = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const matchScore = isSameFace ? MATCH_SCORE : 0;
  const face = { spoof: false, light: 'lit' } as const;
  return {
    face: estimateAge ? { ...face, estimate: AGE, lowerBound: AGE } : face,
    ...(requirements.includes('identity_document') && {
      document: { matchScore, type: 'passport', country: 'NLD', verifiedAt, signs: [] },
    }),
  };
}

export const SAMPLE_SELFIE = [
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeX',
  'BkeFxlZ2MBERISGBUYLxoaL2NCOEJjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY//AABEIAAgACAMB',
  'EQACEQEDEQH/xAGiAAABBQEBAQEBAQAAAAAAAAAAAQIDBAUGBwgJCgsQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCC',
  'NCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqi',
  'o6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+gEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQ',
  'oLEQACAQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS8BVictEKFiQ04SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdI',
  'SUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2dri4+',
  'Tl5ufo6ery8/T19vf4+fr/2gAMAwEAAhEDEQA/ACgD/9k=',
].join('');
