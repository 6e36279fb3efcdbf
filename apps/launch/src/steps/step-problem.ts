// What keeps a step from being done, in a word that the page has a screen for.
import type { Problem } from '../flow/screens.ts';

export class StepProblem extends Error {
  override readonly name = 'StepProblem';
  readonly problem: Problem | 'document';
  /** Another try on this device would come to the same. */
  readonly isFinal: boolean;

  constructor(problem: Problem | 'document', { isFinal = false, cause }: { isFinal?: boolean; cause?: unknown } = {}) {
    super(`The step cannot be done: ${problem}`, { cause });
    this.problem = problem;
    this.isFinal = isFinal;
  }
}
