// What keeps a step from being done, in a word that the page has a screen for.
import type { Problem } from '../course/screens.ts';

/** No more tries: with a document, to set a face up, to be recognised, with a passkey. */
export type LastStraw = 'document' | 'enrolment' | 'recognition' | 'passkey';

export class StepProblem extends Error {
  override readonly name = 'StepProblem';
  readonly problem: Problem | LastStraw;
  /** Another try on this device would come to the same. */
  readonly isFinal: boolean;
  /** There were too many tries, and the next may come only after this; undefined where that is not why. */
  readonly waitMs: number | undefined;

  constructor(
    problem: Problem | LastStraw,
    { isFinal = false, waitMs, cause }: { isFinal?: boolean; waitMs?: number; cause?: unknown } = {},
  ) {
    super(`The step cannot be done: ${problem}`, { cause });
    this.problem = problem;
    this.isFinal = isFinal;
    this.waitMs = waitMs;
  }
}
