// The log of a step: its position, and how it records events.
import type { LogEntry, Standing } from '@limen/plan';

export interface StepCourse {
  /** Position in the plan. */
  index: number;
  /** State in the log, if the step began before. */
  standing: Standing | undefined;
  record(event: LogEntry[0], index: number): void;
}

/** Records the start of a step, or its restart after a reload. */
export function recordStart({ index, standing, record }: StepCourse): void {
  if (standing !== 'running') record(standing === undefined ? 'started' : 'retried', index);
}
