// A refusal that the operator can put right: its sentence is shown and logged as it is, so it quotes nothing of a list.
import type { LoadProblem } from '@limen/screening';

export class DatasetError extends Error {
  override readonly name = 'DatasetError';
  /** The first records that could not be used. They may quote the list: for the operator's eyes, not for a log. */
  readonly problems: readonly LoadProblem[];

  constructor(sentence: string, problems: readonly LoadProblem[] = []) {
    super(sentence);
    this.problems = problems;
  }
}

/** Another process is at it. */
export class DatasetBusy extends DatasetError {}

/** An index from another machine arrived damaged or incomplete. */
export class IndexNotWhole extends DatasetError {}
