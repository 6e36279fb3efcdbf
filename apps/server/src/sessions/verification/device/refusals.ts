// What the calls of a verification session's device are told when they are not taken.
import type { PlanStep } from '@limen/plan';
import { ChallengeRefused, KeyHolderUnavailable } from '../../../faces/keyholder/link/calls.ts';
import { QueueFullError } from '../../../platform/async/limiter.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { TakenCall } from '../../device/take-call.ts';

/** A key-holder that was killed is back after about this long. */
const KEY_HOLDER_WAIT_SECONDS = 5;

/** The step of this name, if it has begun and is not finished by what the device reported. */
export function requireStep<Name extends PlanStep['step']>(
  { running }: TakenCall,
  name: Name,
): Extract<PlanStep, { step: Name }> {
  if (running && isNamed(running, name)) return running;
  throw new AppError('step_not_running', `This call belongs to the ${name} step; report that it has started first.`);
}

function isNamed<Name extends PlanStep['step']>(step: PlanStep, name: Name): step is Extract<PlanStep, { step: Name }> {
  return step.step === name;
}

export function noChallenge(): AppError {
  return new AppError(
    'challenge_refused',
    'There is no open challenge; ask for a new one and encrypt the face for it.',
  );
}

export function noMoreChallenges(): AppError {
  return new AppError('forbidden', 'This session has used up its challenges.');
}

export function stillWorking(): AppError {
  return new AppError('unavailable', 'The same call is still being processed; try again in a moment.', {
    headers: { 'retry-after': '1' },
  });
}

function tooManyWaiting(): AppError {
  return new AppError('unavailable', 'Many faces are being compared at the moment; try again.', {
    headers: { 'retry-after': '1' },
  });
}

/** What it is to a device that a face is not compared now; anything else as it is. */
export function translateRefusal(error: unknown): unknown {
  if (error instanceof ChallengeRefused) return noChallenge();
  if (error instanceof QueueFullError) return tooManyWaiting();
  if (!(error instanceof KeyHolderUnavailable)) return error;
  return new AppError('keyholder_unavailable', 'Faces cannot be compared at the moment; nothing is lost, try again.', {
    headers: { 'retry-after': String(KEY_HOLDER_WAIT_SECONDS) },
    cause: error,
  });
}
