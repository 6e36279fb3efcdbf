// Runs a job at once, in this process, for a caller who waits for its result.
//
// The job's row is written first, already leased, so the work outlives this process: if it dies between two attempts,
// the lease runs out and another run takes over. The handler ends the job inside its own transaction
// (`run.complete(trx)`), so work and job go together and nothing is done twice.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { describeForLog } from '../errors.ts';
import { GiveUp, JobFailed, type JobKind, LeaseLost } from './job.ts';
import type { JobHandler } from './jobs.ts';
import { holdLease } from './lease.ts';
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
}

export async function performJob<Payload, Result>(options: PerformOptions<Payload, Result>): Promise<Result> {
  const { job, handler, id, payload, sealedPayload, store, clock, log, stopping } = options;
  const leaseToken = randomUUID();
  const leaseUntil = clock.now() + job.leaseMs;
  const row = { id, kind: job.kind, payload: sealedPayload, created_at: clock.now() };
  await store.insertLeased(row, leaseToken, leaseUntil);
  const lease = holdLease({ id, leaseToken, leaseUntil, leaseMs: job.leaseMs, store, clock, log });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(attempt);
      } catch (error) {
        const final = error instanceof GiveUp || error instanceof LeaseLost || attempt >= job.maxAttempts;
        log.warn({ ...describeForLog(error), job: id, kind: job.kind, attempt }, 'an attempt of a job failed');
        if (final || stopping.aborted) {
          await letGo(attempt, final, error);
          throw final ? new JobFailed('the last attempt failed', { cause: error }) : error;
        }
        await sleep(job.backoffMs(attempt));
        // Counted where another process can see it, as far as the database lets it be.
        await store.countAttempt(id, leaseToken, attempt + 1).catch(() => {});
      }
    }
  } finally {
    lease.release();
  }

  async function runOnce(attempt: number): Promise<Result> {
    let completed = false;
    const result = await handler(payload, {
      id,
      attempt,
      signal: AbortSignal.any([lease.lost, stopping]),
      async complete(trx) {
        if (!(await store.remove(id, leaseToken, trx))) throw new LeaseLost();
        completed = true;
      },
    });
    if (!completed) await store.remove(id, leaseToken);
    return result;
  }

  /** The caller hears of the failure now; a job that still has attempts is left to the next process. */
  async function letGo(attempt: number, final: boolean, error: unknown): Promise<void> {
    const lastError = error instanceof GiveUp ? error.reason : error instanceof Error ? error.name : typeof error;
    try {
      if (!final) await store.reschedule(id, leaseToken, { runAt: clock.now(), attempts: attempt - 1, lastError });
      else if (job.keepDead) await store.bury(id, leaseToken, lastError);
      else await store.remove(id, leaseToken);
    } catch (failure) {
      log.warn({ ...describeForLog(failure), job: id }, 'a failed job could not be put away; its lease will run out');
    }
  }
}
