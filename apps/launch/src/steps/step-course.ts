// Where a step stands in the log of the check, and how it enters what happens.
import type { LogEntry, Standing } from '@limen/plan';

export interface StepCourse {
  /** The step's position in the plan. */
  index: number;
  /** The step's standing in the log, if it began before. */
  standing: Standing | undefined;
  record(event: LogEntry[0], index: number): void;
}

/** Records the start of a step, or its restart after a page was loaded again. */
export function recordStart({ index, standing, record }: StepCourse): void {
  if (standing !== 'running') record(standing === undefined ? 'started' : 'retried', index);
}
