// What the log says of the course so far: which steps stand, which ever began, and which tries with a document failed.
import type { LogEntry, PlanStep } from '@limen/sdk/device';

export type Standing = 'running' | 'finished';

/** Of the steps that began and were not undone, by their position and in their order. */
export function readStanding(log: readonly LogEntry[]): ReadonlyMap<number, Standing> {
  const steps = new Map<number, Standing>();
  for (const [event, index] of log) {
    if (event === 'finished' || event === 'carried') steps.set(index, 'finished');
    if (event !== 'started' && event !== 'retried') continue;
    // Going back undoes whatever came after.
    const begun = [...steps.keys()];
    if (steps.has(index)) for (const later of begun.slice(begun.indexOf(index) + 1)) steps.delete(later);
    steps.set(index, 'running');
  }
  return steps;
}

/** A conditional step that ever began stays due, also when it was undone. */
export function hasBegun(log: readonly LogEntry[], step: number): boolean {
  return log.some(([event, index]) => (event === 'started' || event === 'carried') && index === step);
}

/**
 * In a document step each return while it runs is a try that failed, on this page or before it was loaded again. A return
 * to one that was finished, or from a later step, is not: it only fetches again what was lost.
 */
export function countFailedTries(log: readonly LogEntry[], step: number): number {
  let running: number | undefined;
  let failed = 0;
  for (const [event, index] of log) {
    if (event === 'retried' && index === step && running === step) failed += 1;
    if (event === 'started' || event === 'retried') running = index;
    else if (event === 'finished') running = undefined;
  }
  return failed;
}

/** Whether a document would not do in the step that runs now. */
export function hasFailedTry(steps: readonly PlanStep[], log: readonly LogEntry[]): boolean {
  const [running] = [...readStanding(log)].find(([, standing]) => standing === 'running') ?? [];
  if (running === undefined || steps[running]?.step !== 'identity_document') return false;
  return countFailedTries(log, running) > 0;
}
