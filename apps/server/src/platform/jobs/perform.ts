// Runs a job at once, in this process, for a caller who waits for its result.
//
// The job's row is written first, already leased, so the work outlives this process: if it dies between two attempts,
// the lease runs out and another run takes over. The handler ends the job inside its own transaction
// (`run.complete(trx)`), so work and job go together and nothing is done twice.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeForLog } from '../base/errors.ts';
import { GiveUp, JobFailed, type JobHandler, type JobKind, LeaseLost } from './job.ts';
import { HeldLease, type RunTools, reasonOf } from './lease.ts';

interface Performance<Payload, Result> {
  job: JobKind<Payload, Result>;
  handler: JobHandler<Payload, Result>;
  id: string;
  payload: Payload;
  sealedPayload: Uint8Array;
}

const PUT_AWAY_RETRY_MS = 500;

/** `onEnd` gets what goes on after the caller has its answer. */
export async function performJob<Payload, Result>(
  { job, handler, id, payload, sealedPayload }: Performance<Payload, Result>,
  tools: RunTools,
  onEnd: (rest: Promise<void>) => void,
): Promise<Result> {
  const { store, clock, log, stopping } = tools;
  const leaseToken = randomUUID();
  const leaseUntil = clock.now() + job.leaseMs;
  const row = { id, kind: job.kind, payload: sealedPayload, created_at: clock.now() };
  await store.insertLeased(row, leaseToken, leaseUntil);
  const lease = new HeldLease(job, { id, leaseToken, leaseUntil }, tools);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { result, isCompleted } = await lease.attempt(handler, payload, { attempt, isAwaited: true });
        if (!isCompleted) await store.remove(id, leaseToken);
        lease.release();
        return result;
      } catch (error) {
        log.warn({ ...describeForLog(error), job: id, kind: job.kind, attempt }, 'an attempt of a job failed');
        const final = error instanceof GiveUp || error instanceof LeaseLost || attempt >= job.maxAttempts;
        if (final) {
          if (await putAway(error)) lease.release();
          else onEnd(putAwayLater(error));
          throw new JobFailed('the last attempt failed', { cause: error });
        }
        if (stopping.aborted) {
          await leaveToNext(attempt, error);
          throw error;
        }
        await sleep(job.backoffMs(attempt));
        // Counted where another process can see it, as far as the database lets it be.
        await store.change(id, leaseToken, { attempts: attempt + 1 }).catch(() => {});
      }
    }
  } catch (error) {
    if (!(error instanceof JobFailed)) lease.release();
    throw error;
  }

  async function putAway(error: unknown): Promise<boolean> {
    try {
      await lease.putAway(error);
      return true;
    } catch (failure) {
      log.warn({ ...describeForLog(failure), job: id }, 'a failed job could not be settled yet');
      return false;
    }
  }

  /**
   * The caller hears of the failure now, so the job must not be taken over and done later: while the database is away,
   * the lease is held and the removal tried again.
   */
  async function putAwayLater(error: unknown): Promise<void> {
    while (!lease.lost.aborted && !(await putAway(error))) {
      if (stopping.aborted) break; // that was the last try
      await sleep(PUT_AWAY_RETRY_MS, undefined, { signal: lease.signal }).catch(() => {});
    }
    lease.release();
  }

  /** Cut short by the shutdown: the next process begins the same attempt again. */
  async function leaveToNext(attempt: number, error: unknown): Promise<void> {
    try {
      await lease.reschedule({ runAt: clock.now(), attempts: attempt - 1, lastError: reasonOf(error) });
    } catch (failure) {
      log.warn({ ...describeForLog(failure), job: id }, 'a job could not be released; its lease will expire');
    }
  }
}
