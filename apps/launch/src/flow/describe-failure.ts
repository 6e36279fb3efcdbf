// What each failure leads to: a screen with a way forward, another look at the session, or another claim.
import { isTransient, LimenError } from '@limen/sdk/device';
import { CameraError } from '../camera/open-camera.ts';
import { type LoadErrorCode, ModelLoadError } from '../models/face-engine.ts';
import { StepProblem } from '../steps/step-problem.ts';
import type { Problem, Screen } from './screens.ts';

/** The session could not be taken. */
export class ClaimRefusedError extends Error {
  override readonly name = 'ClaimRefusedError';
  readonly why: Extract<Screen, { name: 'stopped' }>['why'];

  constructor(why: Extract<Screen, { name: 'stopped' }>['why']) {
    super(`The session cannot be taken: ${why}`);
    this.why = why;
  }
}

/**
 * `look_again`: it ended, or another device has it, and the view says which. `refused`: it ended because the service did not
 * take what was sent. `claim_again`: another tab was quicker. `give_up`: there are no more tries with a document.
 */
export type Failure = Screen | 'look_again' | 'refused' | 'claim_again' | 'give_up';

const LOAD_PROBLEMS: Readonly<Record<LoadErrorCode, Problem>> = {
  offline: 'models',
  unready: 'models',
  unstarted: 'models',
  mismatch: 'broken',
  failed: 'broken',
  unsupported: 'unsupported',
};

export function describeFailure(error: unknown, canUsePhone: boolean): Failure {
  const asProblem = (problem: Problem, canRetry = problem !== 'unsupported'): Screen => ({
    ...{ name: 'problem', problem, canRetry, canUsePhone },
  });
  if (error instanceof ClaimRefusedError) return { name: 'stopped', why: error.why };
  if (error instanceof CameraError) return { name: 'permission', state: error.obstacle };
  if (error instanceof StepProblem)
    return error.problem === 'document' ? 'give_up' : asProblem(error.problem, !error.isFinal);
  if (error instanceof ModelLoadError) return asProblem(LOAD_PROBLEMS[error.code]);
  if (isTransient(error)) return asProblem('models');
  if (!(error instanceof LimenError)) return asProblem('unexpected');
  if (error.code === 'not_found') return { name: 'end', how: 'not_found', redirectUrl: null };
  if (error.code === 'forbidden') return asProblem('unexpected', false); // no more codes are given out
  if (error.code === 'answer_refused') return 'refused';
  return error.code === 'log_conflict' ? 'claim_again' : 'look_again';
}
