// What a view of the session means to the person in front of the page.
import { AGE_ERROR_CODES, CANCEL_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import type { DeviceView } from '@limen/sdk/device';
import type { Asks, EndKind, HandoffScreen, Screen, StepName } from '../../course/screens.ts';

type End = NonNullable<DeviceView['end']>;

/**
 * What this page knows of an end that nobody who reads it has wished for. `refused`: the service ended it over what the
 * page sent. `unread`, `failed`: the page gave up, after the last try with a document, or to set a face up. Minutes: there
 * were too many tries, and the next may come only after these, when the session is over.
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
  if (typeof known === 'object' && end.errors.some((code) => NOBODY.has(code)))
    return { name: 'end', how: 'throttled', redirectUrl, ...known };
  const { ageKeyOffer: offer } = end;
  const keep = offer && ({ ageOver: offer.ageOver, state: 'offered' } as const);
  return { name: 'end', how: endKind(end, operation, known), redirectUrl, ...(keep && { keep }) };
}

function endKind(
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
  // The page itself gives up with these codes when the person does; any other says that the service did.
  return errors.every((code) => GIVEN_UP.has(code)) ? CANCELLED[operation] : 'failed';
}

const GIVEN_UP: ReadonlySet<number> = new Set(CANCEL_CODES);
/** What the page gives up with where no comparison came to a person. */
const NOBODY: ReadonlySet<number> = new Set([
  ...[VERIFICATION_ERROR_CODES.authenticationFailed, VERIFICATION_ERROR_CODES.enrollmentFailed],
]);

/** By the server's clock, which the device's need not agree with. */
export function timeLeftMs({ expiresAt, serverTime }: Pick<DeviceView, 'expiresAt' | 'serverTime'>): number {
  return Date.parse(expiresAt) - Date.parse(serverTime);
}

/** Rounded up: nobody is told that there is no time while there is some. */
export function toMinutes(ms: number): number {
  return Math.max(Math.ceil(ms / 60_000), 1);
}

/** Where the other device is. */
export function describeProgress({ state, progress, role, asks }: DeviceView): HandoffScreen['followed'] {
  if (role !== 'follower') return 'waiting';
  if (state !== 'capturing' || !progress) return 'opened';
  return stepsOf(asks)[progress.step] ?? 'identity_document';
}

/** As the plan has them: also the comparison, which asks nothing of the person. */
function stepsOf({ operation, steps }: Asks): readonly StepName[] {
  if (operation === 'AGE') return steps;
  if (operation !== 'ENROLL') return [...steps, 'token'];
  const seen = steps.filter((step) => step === 'face' || step === 'identity_document');
  return [...seen, 'token', ...steps.slice(seen.length)];
}
