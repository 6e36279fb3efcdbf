// The test mode: what a session would have come to, so that an integration can be tried without a face.
import { randomUUID } from 'node:crypto';
import type { SimulateVerificationSessionRequest } from '@limen/contract';
import { invalid } from '../../platform/errors.ts';
import type { VerificationContents } from './contents.ts';
import type { VerificationEnding } from './end-session.ts';
import { noPerson, type VerificationAnswer } from './rules.ts';
import { SAMPLE_SELFIE } from './sample-selfie.ts';

const AGE = 30;
const MATCH_SCORE = 0.9;

/** Whom a success names: who was asked for, whoever the host wants to sign in, or somebody made up. */
export function puidOf(
  { type, userId }: VerificationContents,
  { outcome, puid }: SimulateVerificationSessionRequest,
): string {
  if (puid !== undefined && (type !== 'SIGN-IN' || outcome !== 'success')) {
    throw invalid('body.puid', 'is for the success of a SIGN-IN only');
  }
  return userId ?? puid ?? randomUUID();
}

/** `puid` and `guid` name a person that nobody is: nothing is enrolled or found. */
export function endingOf(
  contents: VerificationContents,
  { outcome }: SimulateVerificationSessionRequest,
  { puid, guid, now }: { puid: string; guid: string; now: number },
): Pick<VerificationEnding, 'end' | 'indicators' | 'madeUp'> {
  const indicators = null;
  switch (outcome) {
    case 'expired':
    case 'cancelled':
      return { end: { end: outcome }, indicators };
    case 'spoof':
      return { end: { answer: { face: { spoof: true } } }, indicators };
    case 'not_recognized':
      return { end: { end: 'cancelled', code: noPerson(contents.type) }, indicators };
    case 'success': {
      const person = { personId: puid, puid, guid, by: 'local' } as const;
      return {
        end: { answer: answerOf(contents, now) },
        indicators,
        madeUp: { person, passkey: { personId: puid, credentialId: '' }, selfie: SAMPLE_SELFIE },
      };
    }
  }
}

function answerOf({ estimateAge, requirements }: VerificationContents, now: number): VerificationAnswer {
  const verifiedAt = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const document = { matchScore: MATCH_SCORE, type: 'passport', country: 'NLD', verifiedAt, signs: [] } as const;
  return {
    face: { spoof: false, ...(estimateAge && { estimate: AGE, lowerBound: AGE }) },
    ...(requirements.includes('identity_document') && { document }),
  };
}
