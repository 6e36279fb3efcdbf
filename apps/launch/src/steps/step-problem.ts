// What keeps a step from being done, in a word that the page has a screen for.
import type { Problem } from '../flow/screens.ts';

export class StepProblem extends Error {
  override readonly name = 'StepProblem';
  readonly problem: Problem | 'document';

  constructor(problem: Problem | 'document') {
    super(`The step cannot be done: ${problem}`);
    this.problem = problem;
  }
}
