// Maps a view of the session to screens.
import { AGE_ERROR_CODES, CANCEL_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import type { DeviceView } from '@limen/sdk/device';
import type { Asks, EndKind, HandoffScreen, Screen, StepName } from '../../course/screens.ts';

type End = NonNullable<DeviceView['end']>;

/**
 * Cause of an end that only this page knows. `refused`: the service rejected the answer. `unread`,
 * `failed`: the page gave up after the last try with a document, or to enroll. `minutesLeft`: too
 * many tries, and the next is possible only after the session.
 */
export type KnownEnd = 'refused' | 'unread' | 'failed' | { minutesLeft: number };

const DONE: Readonly<Record<Asks['operation'], EndKind>> = {
  AGE: 'done',
  ENROLL: 'enrolled',
  'SIGN-IN': 'signed_in',
  VERIFY: 'verified',
};

const CANCELLED: Readonly<Record<Asks['operation'], EndKind>> = {
  AGE: 'cancelled',
  ENROLL: 'cancelled_enrolment',
  'SIGN-IN': 'cancelled_sign_in',
  VERIFY: 'cancelled_sign_in',
};

export function describeEnd(
  end: End,
  operation: Asks['operation'],
  known?: KnownEnd,
): Extract<Screen, { name: 'end' }> {
  const redirectUrl = end.redirectUrl ?? null;
  const { returnCode } = end;
  if (returnCode !== undefined) return { name: 'end', how: 'hand_back', redirectUrl, returnCode };
  if (typeof known === 'object' && end.errors.some((code) => NO_MATCH_CODES.has(code)))
    return { name: 'end', how: 'throttled', redirectUrl, ...known };
  const { ageKeyOffer: offer } = end;
  const keep = offer && ({ ageOver: offer.ageOver, state: 'offered' } as const);
  return { name: 'end', how: chooseEndKind(end, operation, known), redirectUrl, ...(keep && { keep }) };
}

function chooseEndKind(
  { flowStatus, errors, returnCodeTriesLeft }: End,
  operation: Asks['operation'],
  known: KnownEnd | undefined,
): EndKind {
  if (returnCodeTriesLeft === 0) return 'not_handed_back';
  if (known === 'refused' || known === 'failed') return 'failed';
  if (flowStatus === 'EXPIRED') return 'expired';
  if (errors.includes(AGE_ERROR_CODES.spoof)) return 'unlikely';
  if (errors.includes(AGE_ERROR_CODES.faceMismatch)) return 'other_face';
  if (known === 'unread' && errors.includes(AGE_ERROR_CODES.documentScanError)) return 'unread';
  if (errors.includes(VERIFICATION_ERROR_CODES.passkeyRefused)) return 'passkey_refused';
  if (errors.includes(VERIFICATION_ERROR_CODES.authenticationFailed)) return 'not_recognized';
  if (errors.includes(VERIFICATION_ERROR_CODES.enrollmentFailed)) return 'failed';
  if (flowStatus === 'COMPLETED') return errors.length === 0 ? DONE[operation] : 'failed';
  // The page sends these codes when the person gives up. Any other code comes from the service.
  return errors.every((code) => USER_CANCEL_CODES.has(code)) ? CANCELLED[operation] : 'failed';
}

const USER_CANCEL_CODES: ReadonlySet<number> = new Set(CANCEL_CODES);
/** Codes with which the page gives up if no comparison matched. */
const NO_MATCH_CODES: ReadonlySet<number> = new Set([
  ...[VERIFICATION_ERROR_CODES.authenticationFailed, VERIFICATION_ERROR_CODES.enrollmentFailed],
]);

/** Computes the time left by the server's clock. The device's may differ. */
export function timeLeftMs({ expiresAt, serverTime }: Pick<DeviceView, 'expiresAt' | 'serverTime'>): number {
  return Date.parse(expiresAt) - Date.parse(serverTime);
}

/** Rounds up, so that a screen never shows zero minutes while time is left. */
export function toMinutes(ms: number): number {
  return Math.max(Math.ceil(ms / 60_000), 1);
}

/** Returns the progress of the other device. */
export function describeProgress({ state, progress, role, asks }: DeviceView): HandoffScreen['followed'] {
  if (role !== 'follower') return 'waiting';
  if (state !== 'capturing' || !progress) return 'opened';
  return listSteps(asks)[progress.step] ?? 'identity_document';
}

/** Lists the steps in the plan's order, including the comparison, which needs no action. */
function listSteps({ operation, steps }: Asks): readonly StepName[] {
  if (operation === 'AGE') return steps;
  if (operation !== 'ENROLL') return [...steps, 'token'];
  const seen = steps.filter((step) => step === 'face' || step === 'identity_document');
  return [...seen, 'token', ...steps.slice(seen.length)];
}
