// What a view of the session means to the person in front of the page.
import { AGE_ERROR_CODES, CANCEL_CODES } from '@limen/contract/age-error-codes';
import type { DeviceView } from '@limen/sdk/device';
import type { EndKind, HandoffScreen, Screen, StepName } from './screens.ts';

type End = NonNullable<DeviceView['end']>;

/**
 * What this page knows of an end that nobody who reads it has wished for. `refused`: the service ended it over what the
 * page sent. `unread`: the page gave up, after the last try with a document.
 */
export type KnownEnd = 'refused' | 'unread';

export function describeEnd(end: End, known?: KnownEnd): Extract<Screen, { name: 'end' }> {
  return { name: 'end', how: endKind(end, known), redirectUrl: end.redirectUrl ?? null };
}

function endKind({ flowStatus, errors }: End, known: KnownEnd | undefined): EndKind {
  if (known === 'refused') return 'failed';
  if (flowStatus === 'EXPIRED') return 'expired';
  if (errors.includes(AGE_ERROR_CODES.spoof)) return 'unlikely';
  if (errors.includes(AGE_ERROR_CODES.faceMismatch)) return 'other_face';
  if (known === 'unread' && errors.includes(AGE_ERROR_CODES.documentScanError)) return 'unread';
  if (flowStatus === 'COMPLETED') return errors.length === 0 ? 'done' : 'failed';
  // The page itself gives up with these codes when the person does; any other says that the service did.
  return errors.every((code) => GIVEN_UP.has(code)) ? 'cancelled' : 'failed';
}

const GIVEN_UP: ReadonlySet<number> = new Set(CANCEL_CODES);

/** By the server's clock, which the device's need not agree with. */
export function timeLeftMs({ expiresAt, serverTime }: Pick<DeviceView, 'expiresAt' | 'serverTime'>): number {
  return Date.parse(expiresAt) - Date.parse(serverTime);
}

/** Rounded up: nobody is told that there is no time while there is some. */
export function toMinutes(ms: number): number {
  return Math.max(Math.ceil(ms / 60_000), 1);
}

/** Where the other device is. */
export function describeProgress(
  { state, progress, role }: DeviceView,
  steps: readonly StepName[],
): HandoffScreen['followed'] {
  if (role !== 'follower') return 'waiting';
  if (state !== 'capturing' || !progress) return 'opened';
  return steps[progress.step] ?? 'identity_document';
}
