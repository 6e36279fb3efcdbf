// What the log says of the tries with a document: which of them failed.
import { type LogEntry, type PlanStep, readStanding } from '@limen/plan';

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
