// Maps each failure to a screen, another look at the session, or another claim.
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import { isTransient, LimenError } from '@limen/sdk/device';
import { CameraError } from '../../camera/open-camera.ts';
import type { Problem, Screen } from '../../course/screens.ts';
import { type LoadErrorCode, ModelLoadError } from '../../models/face-engine.ts';
import { type ExhaustedTries, StepProblem } from '../../steps/step-problem.ts';
import type { CancelCode } from './cancel-code.ts';
import { type KnownEnd, toMinutes } from './describe-view.ts';

/** The service refused the claim of the session. */
export class ClaimRefusedError extends Error {
  override readonly name = 'ClaimRefusedError';
  readonly why: Extract<Screen, { name: 'stopped' }>['why'];

  constructor(why: Extract<Screen, { name: 'stopped' }>['why']) {
    super(`The session cannot be taken: ${why}`);
    this.why = why;
  }
}

/**
 * `look_again`: the session ended or moved, and the view says which. `refused`: it ended because
 * the service rejected the answer. `claim_again`: another tab reported first. `giveUp`: no tries
 * are left; the code names the step.
 */
export type Failure = Screen | 'look_again' | 'refused' | 'claim_again' | GivingUp;

export interface GivingUp {
  giveUp: CancelCode;
  known?: KnownEnd;
}

const LAST_STRAWS: Readonly<Record<ExhaustedTries, GivingUp>> = {
  document: { giveUp: AGE_ERROR_CODES.documentScanError, known: 'unread' },
  enrolment: { giveUp: VERIFICATION_ERROR_CODES.enrollmentFailed, known: 'failed' },
  recognition: { giveUp: VERIFICATION_ERROR_CODES.authenticationFailed },
  passkey: { giveUp: VERIFICATION_ERROR_CODES.passkeyRefused },
};

/** HTTP status if all places for people are taken or the disk is full. */
const NO_ROOM = 507;

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
    name: 'problem',
    problem,
    canRetry,
    canUsePhone,
  });
  if (error instanceof ClaimRefusedError) return { name: 'stopped', why: error.why };
  if (error instanceof CameraError) return { name: 'permission', state: error.obstacle };
  if (error instanceof StepProblem)
    return isLastStraw(error.problem) ? giveUpOn(error.problem, error) : asProblem(error.problem, !error.isFinal);
  if (error instanceof ModelLoadError) return asProblem(LOAD_PROBLEMS[error.code]);
  if (error instanceof LimenError && error.code === 'keyholder_unavailable') return asProblem('unavailable');
  if (isTransient(error)) return asProblem('models');
  if (!(error instanceof LimenError)) return asProblem('unexpected');
  // Another device does not help, and the operator has been notified.
  if (error.status === NO_ROOM) return { name: 'problem', problem: 'full', canRetry: true, canUsePhone: false };
  if (error.code === 'not_found') return { name: 'end', how: 'not_found', redirectUrl: null };
  if (error.code === 'forbidden') return asProblem('unexpected', false); // no more codes are given out
  if (error.code === 'answer_refused') return 'refused';
  return error.code === 'log_conflict' ? 'claim_again' : 'look_again';
}

function giveUpOn(straw: ExhaustedTries, { waitMs }: StepProblem): GivingUp {
  const failure = LAST_STRAWS[straw];
  return waitMs === undefined ? failure : { ...failure, known: { minutesLeft: toMinutes(waitMs) } };
}

function isLastStraw(problem: Problem | ExhaustedTries): problem is ExhaustedTries {
  return Object.hasOwn(LAST_STRAWS, problem);
}
