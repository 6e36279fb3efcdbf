// Runs a job at once, in this process, for a caller that waits for its result.
//
// The job's row is written first, already leased, so the work outlives this process: if the process dies, the lease runs out and another
// run takes over. The handler ends the job in its own transaction (`run.complete(trx)`), so nothing is done twice.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeForLog } from '../base/errors.ts';
import { JobAbandonedError, JobFailedError, type JobHandler, type JobKind, LeaseLostError } from './job.ts';
import { describeReason, holdLease, type RunTools } from './lease.ts';

interface Performance<Payload, Result> {
  job: JobKind<Payload, Result>;
  handler: JobHandler<Payload, Result>;
  id: string;
  payload: Payload;
  sealedPayload: Uint8Array;
}

const PUT_AWAY_RETRY_MS = 500;

/** `onRest` gets the work that continues after the caller has its answer. */
export async function performJob<Payload, Result>(
  { job, handler, id, payload, sealedPayload }: Performance<Payload, Result>,
  tools: RunTools,
  onRest: (rest: Promise<void>) => void,
): Promise<Result> {
  const { store, clock, log, stopping } = tools;
  const leaseToken = randomUUID();
  const leaseUntil = clock.now() + job.leaseMs;
  const row = { id, kind: job.kind, payload: sealedPayload, created_at: clock.now() };
  await store.insertLeased(row, leaseToken, leaseUntil);
  const lease = holdLease(job as JobKind<unknown, unknown>, { id, leaseToken, leaseUntil }, tools);
  let rest: Promise<void> | undefined;
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { result, isCompleted } = await lease.attempt(handler, payload, { attempt, isAwaited: true });
        if (!isCompleted) await store.remove(id, leaseToken);
        return result;
      } catch (error) {
        log.warn({ ...describeForLog(error), job: id, kind: job.kind, attempt }, 'an attempt of a job failed');
        if (error instanceof JobAbandonedError || error instanceof LeaseLostError || attempt >= job.maxAttempts) {
          if (!(await putAway(describeReason(error)))) rest = putAwayLater(describeReason(error));
          throw new JobFailedError('the last attempt failed', { cause: error });
        }
        if (stopping.aborted) {
          await leaveToNext(attempt, error);
          throw error;
        }
        await sleep(job.backoffMs(attempt));
        // Lets other processes count the attempts, as far as the database is available.
        await store.change(id, leaseToken, { attempts: attempt + 1 }).catch(() => {});
      }
    }
  } finally {
    if (rest !== undefined) onRest(rest.finally(() => lease.release()));
    else lease.release();
  }

  async function putAway(reason: string): Promise<boolean> {
    try {
      await lease.putAway(reason);
      return true;
    } catch (failure) {
      log.warn({ ...describeForLog(failure), job: id }, 'a failed job could not be settled yet');
      return false;
    }
  }

  /** Holds the lease while the database is unavailable: the caller knows of the failure, so the job must not run again. */
  async function putAwayLater(reason: string): Promise<void> {
    while (!lease.lost.aborted && !(await putAway(reason))) {
      if (stopping.aborted) break; // that was the last try
      await sleep(PUT_AWAY_RETRY_MS, undefined, { signal: lease.signal }).catch(() => {});
    }
  }

  /** Leaves the same attempt to the next process after a shutdown. */
  async function leaveToNext(attempt: number, error: unknown): Promise<void> {
    try {
      await lease.reschedule({ runAt: clock.now(), attempts: attempt - 1, lastError: describeReason(error) });
    } catch (failure) {
      log.warn({ ...describeForLog(failure), job: id }, 'a job could not be released; its lease will expire');
    }
  }
}
