// What the device channel says to calls that it does not take.

import type { ErrorCode } from '@limen/contract';
import { AGE_ERROR_CODES } from '@limen/plan';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import type { ClaimVerdict, Role } from './state.ts';

export const COUNTER_HEADER = 'limen-device-counter';

export function noSuchSession(): AppError {
  return new AppError('not_found', 'There is no such session; it may have been deleted.');
}

export function sessionEnded(state: SessionState): AppError {
  if (state !== 'expired')
    return new AppError('session_ended', 'The session has ended; nothing more can be sent for it.');
  const message = 'This session has expired; ask for a new link where this one came from.';
  return new AppError('session_ended', message, { sessionCode: AGE_ERROR_CODES.sessionExpired });
}

/** Nobody holds the session yet, so that it is not another's either. */
export function notClaimed(): AppError {
  const message = 'No device has claimed the session yet; claim it first, with the key that signs this call.';
  return new AppError('device_mismatch', message, { sessionCode: AGE_ERROR_CODES.deviceMismatch });
}

export function deviceMismatch(role: Role): AppError {
  const message =
    role === 'follower'
      ? 'The session continues on another device; this one can only follow.'
      : 'The session belongs to another device; continue there, or scan the QR code it shows.';
  return new AppError('device_mismatch', message, { sessionCode: AGE_ERROR_CODES.deviceMismatch });
}

const CLAIM_REFUSALS = {
  'needs a code': [
    'device_mismatch',
    'The session was opened on another device; continue there, or have it show a QR code and scan that with this device.',
  ],
  'code does not work': [
    'handoff_code_refused',
    'This code has been used or is too old; have the other device show a new one.',
  ],
  'third device': [
    'third_device',
    'The session has already been on two devices and stays with them; continue on one of those.',
  ],
} as const satisfies Record<Exclude<ClaimVerdict, 'holds' | 'takes over'>, readonly [ErrorCode, string]>;

export function claimRefused(verdict: keyof typeof CLAIM_REFUSALS): AppError {
  const [code, message] = CLAIM_REFUSALS[verdict];
  return new AppError(code, message, { sessionCode: AGE_ERROR_CODES.deviceMismatch });
}

export function staleCounter(last: number): AppError {
  return new AppError('stale_counter', `The counter must be above ${last}, the last one of this device.`, {
    headers: { [COUNTER_HEADER]: String(last) },
  });
}

export function logConflict(): AppError {
  const message = 'Different entries were already reported here, perhaps by another tab; claim again to get them.';
  return new AppError('log_conflict', message);
}

/** Whoever saw the other screen would have known. */
export function wrongNumber(): AppError {
  const message =
    'This is not the number on the other device, and the code is now void; have that device show a new one.';
  return new AppError('handoff_number_refused', message, { sessionCode: AGE_ERROR_CODES.deviceMismatch });
}

export function handoffRefused(): AppError {
  return new AppError('forbidden', 'This session stays on the device that opened it; please continue here.');
}

export function returnCodeRefused(triesLeft: number): AppError {
  const message =
    triesLeft === 0
      ? 'This is not the code, and there are no tries left; start again where this session came from.'
      : `This is not the code on the other device; it can be tried ${triesLeft === 1 ? 'once' : 'twice'} more.`;
  return new AppError('return_code_refused', message);
}

export function noReturnCode(): AppError {
  const message = 'No code is expected from this device; the view says what comes next.';
  return new AppError('forbidden', message);
}

/** Not 429: no amount of waiting helps. */
export function noMoreCodes(): AppError {
  return new AppError('forbidden', 'No more codes can be made for this session; please continue on this device.');
}

export function answeredAlready(): AppError {
  return new AppError('payload_replayed', 'The session has already been answered; a second answer is not accepted.', {
    sessionCode: AGE_ERROR_CODES.payloadReplayed,
  });
}

export function overtakenTooOften(): AppError {
  return new AppError(
    'unavailable',
    'The session is being changed from several places at once; try again in a moment.',
    {
      headers: { 'retry-after': '1' },
    },
  );
}
