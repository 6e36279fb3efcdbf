// Reason why a step cannot be completed, with a screen for each.
import type { Problem } from '../course/screens.ts';

/** Step that has no tries left: a document, enrollment, recognition or passkey. */
export type ExhaustedTries = 'document' | 'enrolment' | 'recognition' | 'passkey';

export class StepProblem extends Error {
  override readonly name = 'StepProblem';
  readonly problem: Problem | ExhaustedTries;
  /** Whether another try on this device would fail too. */
  readonly isFinal: boolean;
  /** Wait before the next try after too many tries; undefined for other reasons. */
  readonly waitMs: number | undefined;

  constructor(
    problem: Problem | ExhaustedTries,
    { isFinal = false, waitMs, cause }: { isFinal?: boolean; waitMs?: number; cause?: unknown } = {},
  ) {
    super(`The step cannot be done: ${problem}`, { cause });
    this.problem = problem;
    this.isFinal = isFinal;
    this.waitMs = waitMs;
  }
}
