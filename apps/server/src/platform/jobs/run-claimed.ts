// Runs a job that was claimed, or written under a lease, and settles what becomes of it.
import { describeForLog } from '../base/errors.ts';
import { GiveUp, type JobHandler, type JobKind } from './job.ts';
import { HeldLease, type RunTools, reasonOf } from './lease.ts';
import type { JobRow } from './store.ts';

export type ClaimedJob = Pick<JobRow, 'id' | 'attempts' | 'lease_until'> & { leaseToken: string };
type AnyJob = JobKind<unknown, unknown>;

export async function runClaimed(
  job: AnyJob,
  handler: JobHandler<unknown, unknown>,
  { id, attempts, lease_until, leaseToken }: ClaimedJob,
  openPayload: () => unknown,
  tools: RunTools,
): Promise<void> {
  const { store, clock, log } = tools;
  if (attempts > job.maxAttempts && job.everyMs === undefined) {
    // Every run so far ended with its process: the job may well be what ended it.
    log.error({ job: id, kind: job.kind, attempt: attempts }, 'a job is dead: none of its runs finished');
    if (job.keepDead) await store.bury(id, leaseToken, 'NeverFinished');
    else await store.remove(id, leaseToken);
    return;
  }
  const lease = new HeldLease(job, { id, leaseToken, leaseUntil: lease_until ?? 0 }, tools);
  try {
    const { isCompleted } = await lease.attempt(handler, openPayload(), { attempt: attempts, isAwaited: false });
    lease.release();
    if (isCompleted) return;
  } catch (error) {
    lease.release();
    await settleFailure(job, { id, attempts }, error, { lease, tools });
    return;
  }
  if (job.everyMs === undefined) await store.remove(id, leaseToken);
  else await lease.reschedule({ runAt: clock.now() + job.everyMs, attempts: 0, lastError: null });
}

async function settleFailure(
  job: AnyJob,
  { id, attempts }: Pick<ClaimedJob, 'id' | 'attempts'>,
  error: unknown,
  { lease, tools: { clock, log, stopping } }: { lease: HeldLease<unknown, unknown>; tools: RunTools },
): Promise<void> {
  const lastError = reasonOf(error);
  const reason = error instanceof GiveUp ? { reason: error.reason } : {};
  const line = { ...describeForLog(error), ...reason, job: id, kind: job.kind, attempt: attempts };
  const [level, outcome, isSettled] = await settle();
  if (isSettled) log[level](line, outcome);
  else log.warn(line, 'a job failed after it had lost its lease; the run that took it over decides');

  async function settle(): Promise<['info' | 'warn' | 'error', string, boolean]> {
    const now = clock.now();
    if (stopping.aborted && !(error instanceof GiveUp)) {
      // Cut short by the shutdown, which is not the job's fault: the next process begins the same attempt again.
      const isLeft = await lease.reschedule({ runAt: now, attempts: attempts - 1, lastError });
      return ['info', 'a job was cut short by the shutdown', isLeft];
    }
    if (job.everyMs !== undefined) {
      const isLeft = await lease.reschedule({ runAt: now + job.everyMs, attempts: 0, lastError });
      return ['warn', 'a recurring job failed; it comes again', isLeft];
    }
    if (error instanceof GiveUp || attempts >= job.maxAttempts) {
      return ['error', 'a job is dead', await lease.putAway(error)];
    }
    const isLeft = await lease.reschedule({ runAt: now + job.backoffMs(attempts), attempts, lastError });
    return ['warn', 'a job failed; it will be tried again', isLeft];
  }
}
