// Refusals of the device channel.
import type { ErrorCode } from '@limen/contract';
import { AGE_ERROR_CODES } from '@limen/plan';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionState } from '../lifecycle/rules.ts';

export const COUNTER_HEADER = 'limen-device-counter';

const { deviceMismatch, payloadReplayed, sessionExpired } = AGE_ERROR_CODES;

/** Codes of sessions that stand for a refusal. */
const SESSION_CODES: Partial<Record<ErrorCode, number>> = {
  device_mismatch: deviceMismatch,
  handoff_code_refused: deviceMismatch,
  handoff_number_refused: deviceMismatch,
  third_device: deviceMismatch,
  payload_replayed: payloadReplayed,
};

const REFUSALS = {
  noSuchSession: ['not_found', 'There is no such session; it may have been deleted.'],
  notClaimed: [
    'device_mismatch',
    'No device has claimed the session yet; claim it first, with the key that signs this call.',
  ],
  follower: ['device_mismatch', 'The session continues on another device; this one can only follow.'],
  stranger: ['device_mismatch', 'Another device holds the session; continue there, or scan the QR code it shows.'],
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
  logConflict: [
    'log_conflict',
    'Different entries were already reported here, perhaps by another tab; claim again to get them.',
  ],
  wrongNumber: [
    'handoff_number_refused',
    'This is not the number on the other device, and the code is now void; have that device show a new one.',
  ],
  handoffRefused: ['forbidden', 'This session stays on the device that opened it; please continue here.'],
  noReturnCode: ['forbidden', 'No code is expected from this device; the view says what comes next.'],
  /** Not 429, because waiting does not help. */
  noMoreCodes: ['forbidden', 'No more codes can be made for this session; please continue on this device.'],
  answeredAlready: ['payload_replayed', 'The session has already been answered; a second answer is not accepted.'],
} as const satisfies Record<string, readonly [ErrorCode, string]>;

export function refusal(name: keyof typeof REFUSALS): AppError {
  const [code, message] = REFUSALS[name];
  const sessionCode = SESSION_CODES[code];
  return new AppError(code, message, sessionCode === undefined ? {} : { sessionCode });
}

export function sessionEnded(state: SessionState): AppError {
  if (state !== 'expired')
    return new AppError('session_ended', 'The session has ended; nothing more can be sent for it.');
  const message = 'This session has expired; ask for a new link where this one came from.';
  return new AppError('session_ended', message, { sessionCode: sessionExpired });
}

export function staleCounter(last: number): AppError {
  return new AppError('stale_counter', `The counter must be above ${last}, the last one of this device.`, {
    headers: { [COUNTER_HEADER]: String(last) },
  });
}

export function returnCodeRefused(triesLeft: number): AppError {
  const message =
    triesLeft === 0
      ? 'This is not the code, and there are no tries left; start again where this session came from.'
      : `This is not the code on the other device; it can be tried ${triesLeft === 1 ? 'once' : 'twice'} more.`;
  return new AppError('return_code_refused', message);
}
