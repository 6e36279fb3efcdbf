// The test mode: makes up what a session comes to, so that an integration can be tried without a face.
import { randomUUID } from 'node:crypto';
import type { SimulateVerificationSessionRequest } from '@limen/contract';
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { named, type PersonId, type Puid } from '../../platform/base/ids.ts';
import { chooseLight, type LightChallenge } from '../device/light.ts';
import { toSecond } from '../device/read-answer.ts';
import type { VerificationContents } from '../lifecycle/kinds.ts';
import { listPossibleReasons } from '../lifecycle/reasons.ts';
import { makeUpRisk, withReason } from '../risk/simulate.ts';
import { FINDING_FLAGS } from '../risk/table.ts';
import type { VerificationEnding } from './end-session.ts';
import { noPerson, type VerificationAnswer } from './rules.ts';

const AGE = 30;
const MATCH_SCORE = 0.9;

/** Returns the person of a success: the requested one, the one the host names for a SIGN-IN, or a made-up one. */
export function simulatePuid(
  { type, userId }: VerificationContents,
  { outcome, puid }: SimulateVerificationSessionRequest,
): Puid {
  if (puid !== undefined && (type !== 'SIGN-IN' || outcome !== 'success')) {
    throw invalid('body.puid', 'is only for the outcome success of a SIGN-IN');
  }
  return userId ?? named(puid ?? randomUUID());
}

/** `puid` and `guid` name a person that does not exist: nothing is enrolled or found. */
export function simulateEnding(
  contents: VerificationContents,
  request: SimulateVerificationSessionRequest,
  { puid, guid, now, challenge }: { puid: Puid; guid: string; now: number; challenge: LightChallenge },
): VerificationEnding {
  requireFitting(contents, request);
  const { outcome, errorCode, retryAfter, newDevice = false } = request;
  const isMismatch = errorCode === AGE_ERROR_CODES.faceMismatch;
  const hasFace = outcome === 'success' || isMismatch;
  const { flags, ...seen } = makeUpRisk('verification', withReason(request), {
    handoff: contents.handoff !== 'refuse',
    light: hasFace ? (chooseLight(contents.light, challenge) ?? 'not_asked') : 'none',
    lightEnforced: challenge === 'enforce',
    camera: true,
    document: contents.requirements.includes('identity_document') && hasFace,
    documentFile: false,
  });
  const madeUp = { flags, ...(retryAfter !== undefined && { retryAfter }) };
  switch (outcome) {
    case 'expired':
      return { ...seen, madeUp, end: { end: outcome } };
    case 'cancelled':
      return { ...seen, madeUp, end: { end: outcome, ...(errorCode !== undefined && { code: errorCode }) } };
    case 'spoof':
      return { ...seen, madeUp, end: { answer: { face: { spoof: true } } } };
    case 'not_recognized': {
      // Only a mismatch with the document is the answer's finding. The service itself finds the others.
      const end = isMismatch
        ? { answer: simulateAnswer(contents, now, 0) }
        : { end: 'cancelled' as const, code: errorCode ?? noPerson(contents.type) };
      return { ...seen, madeUp, end };
    }
    case 'success': {
      const personId = named<PersonId>(`${puid}`); // there is no such row
      const person = { personId, puid, guid, by: 'local' } as const;
      const passkey = { personId, credentialId: '' };
      const contact = request.contactInformation;
      return {
        ...seen,
        madeUp: { ...madeUp, person, passkey, selfie: SAMPLE_SELFIE, newDevice },
        end: { answer: { ...simulateAnswer(contents, now, MATCH_SCORE), ...(contact && { contact }) } },
      };
    }
  }
}

/** Refuses fields that would otherwise be ignored. */
function requireFitting(contents: VerificationContents, request: SimulateVerificationSessionRequest): void {
  const { outcome, errorCode, retryAfter, contactInformation = {}, newDevice, flags = [] } = request;
  if (errorCode !== undefined) requireCode(contents, outcome, errorCode);
  if (retryAfter !== undefined && outcome !== 'not_recognized' && outcome !== 'spoof') {
    throw invalid('body.retryAfter', 'is only for a failure: the outcome not_recognized or spoof');
  }
  if (outcome !== 'success') {
    const newDeviceAt = flags.indexOf(FINDING_FLAGS.newDevice.code);
    if (newDeviceAt >= 0) {
      const sentence = 'requires a recognized person, so it is only for the outcome success';
      throw invalid(`body.flags.${newDeviceAt}`, sentence);
    }
    const field = newDevice ? 'newDevice' : request.contactInformation && 'contactInformation';
    if (field) throw invalid(`body.${field}`, 'is only for the outcome success');
  }
  const unasked = Object.keys(contactInformation).find((field) => !contents.contact.some((asked) => asked === field));
  if (unasked === undefined) return;
  throw invalid(
    `body.contactInformation.${unasked}`,
    `was not asked for; create the session with contact: ["${unasked}"]`,
  );
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

function simulateAnswer(
  { estimateAge, requirements }: VerificationContents,
  now: number,
  matchScore: number,
): VerificationAnswer {
  const face = { spoof: false, light: 'lit' } as const;
  const document = { matchScore, type: 'passport' as const, country: 'NLD', verifiedAt: toSecond(now), signs: [] };
  return {
    face: estimateAge ? { ...face, estimate: AGE, lowerBound: AGE } : face,
    ...(requirements.includes('identity_document') && { document }),
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
