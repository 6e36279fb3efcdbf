// Runs a job under its lease, and settles its outcome.
import { describeForLog } from '../base/errors.ts';
import { GiveUp, type JobHandler, type JobKind } from './job.ts';
import { HeldLease, type RunTools, reasonOf } from './lease.ts';

type AnyJob = JobKind<unknown, unknown>;

interface ClaimedJob {
  id: string;
  attempts: number;
  leaseToken: string;
  leaseUntil: number;
}

export async function runClaimed(
  job: AnyJob,
  handler: JobHandler<unknown, unknown>,
  { attempts, ...leased }: ClaimedJob,
  openPayload: () => unknown,
  tools: RunTools,
): Promise<void> {
  const { store, clock, log } = tools;
  const { id, leaseToken } = leased;
  if (attempts > job.maxAttempts && job.everyMs === undefined) {
    // Every run so far ended with its process, so the job may be the cause.
    log.error({ job: id, kind: job.kind, attempt: attempts }, 'a job is dead: none of its runs finished');
    if (job.keepDead) await store.bury(id, leaseToken, 'NeverFinished');
    else await store.remove(id, leaseToken);
    return;
  }
  const lease = new HeldLease(job, leased, tools);
  try {
    const { isCompleted } = await lease.attempt(handler, openPayload(), { attempt: attempts, isAwaited: false });
    if (isCompleted) return;
  } catch (error) {
    await settleFailure(job, { id, attempts }, error, lease, tools);
    return;
  } finally {
    lease.release();
  }
  if (job.everyMs === undefined) await store.remove(id, leaseToken);
  else await lease.reschedule({ runAt: clock.now() + job.everyMs, attempts: 0, lastError: null });
}

async function settleFailure(
  job: AnyJob,
  { id, attempts }: Pick<ClaimedJob, 'id' | 'attempts'>,
  error: unknown,
  lease: HeldLease<unknown, unknown>,
  { clock, log, stopping }: RunTools,
): Promise<void> {
  const lastError = reasonOf(error);
  const isGivenUp = error instanceof GiveUp;
  const reason = isGivenUp ? { reason: lastError } : {};
  const line = { ...describeForLog(error), ...reason, job: id, kind: job.kind, attempt: attempts };
  const [level, outcome, isSettled] = await settle();
  if (isSettled) log[level](line, outcome);
  else log.warn(line, 'a job failed after it had lost its lease; the run that took it over decides');

  async function settle(): Promise<['info' | 'warn' | 'error', string, boolean]> {
    const now = clock.now();
    if (stopping.aborted && !isGivenUp) {
      // The next process begins the same attempt again.
      const isLeft = await lease.reschedule({ runAt: now, attempts: attempts - 1, lastError });
      return ['info', 'a job was cut short by the shutdown', isLeft];
    }
    if (job.everyMs !== undefined) {
      const isLeft = await lease.reschedule({ runAt: now + job.everyMs, attempts: 0, lastError });
      return ['warn', 'a recurring job failed; it comes again', isLeft];
    }
    if (isGivenUp || attempts >= job.maxAttempts) {
      return ['error', 'a job is dead', await lease.putAway(lastError)];
    }
    const isLeft = await lease.reschedule({ runAt: now + job.backoffMs(attempts), attempts, lastError });
    return ['warn', 'a job failed; it will be tried again', isLeft];
  }
}
