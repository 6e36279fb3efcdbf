// Runs a job at once, in this process, for a caller who waits for its result.
//
// The job's row is written first, already leased, so the work outlives this process: if it dies between two attempts,
// the lease runs out and another run takes over. The handler ends the job inside its own transaction
// (`run.complete(trx)`), so work and job go together and nothing is done twice.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import { GiveUp, JobFailed, type JobHandler, type JobKind, LeaseLost } from './job.ts';
import { holdLease, reasonOf, watchCompletion } from './lease.ts';
import type { JobStore } from './store.ts';

interface PerformOptions<Payload, Result> {
  job: JobKind<Payload, Result>;
  handler: JobHandler<Payload, Result>;
  id: string;
  payload: Payload;
  sealedPayload: Uint8Array;
  store: JobStore;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
  /** Hears of what goes on after the caller has its answer. */
  onEnd: (rest: Promise<void>) => void;
}

const PUT_AWAY_RETRY_MS = 500;

export async function performJob<Payload, Result>(options: PerformOptions<Payload, Result>): Promise<Result> {
  const { job, handler, id, payload, sealedPayload, store, clock, log, stopping, onEnd } = options;
  const leaseToken = randomUUID();
  const leaseUntil = clock.now() + job.leaseMs;
  const row = { id, kind: job.kind, payload: sealedPayload, created_at: clock.now() };
  await store.insertLeased(row, leaseToken, leaseUntil);
  const lease = holdLease({ id, leaseToken, leaseUntil, leaseMs: job.leaseMs, store, clock, log });
  const signal = AbortSignal.any([lease.lost, stopping]);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { complete, isCompleted } = watchCompletion(lease);
        const result = await handler(payload, { id, attempt, isAwaited: true, signal, complete });
        if (!isCompleted()) await store.remove(id, leaseToken);
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
        await store.countAttempt(id, leaseToken, attempt + 1).catch(() => {});
      }
    }
  } catch (error) {
    if (!(error instanceof JobFailed)) lease.release();
    throw error;
  }

  async function putAway(error: unknown): Promise<boolean> {
    try {
      await lease.putAway(job.keepDead, error);
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
      await sleep(PUT_AWAY_RETRY_MS, undefined, { signal }).catch(() => {});
    }
    lease.release();
  }

  /** Cut short by the shutdown: the next process begins the same attempt again. */
  async function leaveToNext(attempt: number, error: unknown): Promise<void> {
    const next = { runAt: clock.now(), attempts: attempt - 1, lastError: reasonOf(error) };
    try {
      await store.reschedule(id, leaseToken, next);
    } catch (failure) {
      log.warn({ ...describeForLog(failure), job: id }, 'a job could not be released; its lease will expire');
    }
  }
}
