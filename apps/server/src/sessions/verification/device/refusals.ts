// Refusals of the calls that a verification session's device makes.
import type { PlanStep } from '@limen/plan';
import { ChallengeRefusedError, KeyHolderUnavailableError } from '../../../faces/keyholder/link/calls.ts';
import { QueueFullError } from '../../../platform/async/limiter.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { AcceptedCall } from '../../device/take-call.ts';

/** Time after which a crashed key-holder is back. */
const KEY_HOLDER_WAIT_SECONDS = 5;

/** Returns the step of this name. Throws unless it has begun and is not finished, according to the reported log. */
export function requireStep<Name extends PlanStep['step']>({ running }: AcceptedCall, name: Name) {
  if (running?.step === name) return running as Extract<PlanStep, { step: Name }>;
  throw new AppError('step_not_running', `This call is part of the ${name} step; report the start of the step first.`);
}

export function noChallenge(): AppError {
  return new AppError('challenge_refused', 'No challenge is open; request a new one and encrypt the face for it.');
}

export function stillWorking(): AppError {
  return busy('This call is still being processed; try again in a moment.');
}

function busy(message: string): AppError {
  return new AppError('unavailable', message, { headers: { 'retry-after': '1' } });
}

/** Returns the refusal for a face that cannot be compared now, and other errors unchanged. */
export function translateRefusal(error: unknown): unknown {
  if (error instanceof ChallengeRefusedError) return noChallenge();
  if (error instanceof QueueFullError) return busy('Many faces are being compared at the moment; try again.');
  if (!(error instanceof KeyHolderUnavailableError)) return error;
  return new AppError('keyholder_unavailable', 'Faces cannot be compared at the moment; nothing is lost, try again.', {
    headers: { 'retry-after': String(KEY_HOLDER_WAIT_SECONDS) },
    cause: error,
  });
}
