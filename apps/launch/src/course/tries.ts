// Counts failed tries with a document from the log.
import { type LogEntry, type PlanStep, readStanding } from '@limen/plan';

/**
 * Counts each retry during a document step as a failed try, also one from before a reload. A retry
 * of a finished step, or from a later step, only recovers lost data and does not count.
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

/** Returns whether the running step is a document step with a failed try. */
export function hasFailedTry(steps: readonly PlanStep[], log: readonly LogEntry[]): boolean {
  const [running] = [...readStanding(log)].find(([, standing]) => standing === 'running') ?? [];
  if (running === undefined || steps[running]?.step !== 'identity_document') return false;
  return countFailedTries(log, running) > 0;
}
