// Keeps a job's lease alive while a run is under way, says when it is lost, and ends the job under it.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import type { Transaction } from '../database/database.ts';
import { GiveUp, LeaseLost } from './job.ts';
import type { JobStore } from './store.ts';

interface LeaseOptions {
  id: string;
  leaseToken: string;
  leaseUntil: number;
  leaseMs: number;
  store: JobStore;
  clock: Clock;
  log: Logger;
}

export interface HeldLease {
  /** Aborted once another process may have taken the job over. */
  readonly lost: AbortSignal;
  /** Ends the job as part of a transaction; throws LeaseLost when it is no longer this run's to end. */
  complete(trx: Transaction): Promise<void>;
  /** Puts a job away whose last attempt failed; false when it is no longer this run's. */
  putAway(keepDead: boolean, error: unknown): Promise<boolean>;
  /** Ends the heartbeat; the lease itself stays until the job is finished or its time is up. */
  release(): void;
}

/** For one attempt: whether its handler ended the job by itself. An attempt whose transaction failed has thrown. */
export function watchCompletion(lease: HeldLease): { complete: HeldLease['complete']; isCompleted: () => boolean } {
  let completed = false;
  return {
    async complete(trx) {
      await lease.complete(trx);
      completed = true;
    },
    isCompleted: () => completed,
  };
}

/** What may be kept of a failure. */
export function reasonOf(error: unknown): string {
  if (error instanceof GiveUp) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}

export function holdLease({ id, leaseToken, leaseUntil, leaseMs, store, clock, log }: LeaseOptions): HeldLease {
  const lost = new AbortController();
  let until = leaseUntil;
  const heartbeat = setInterval(async () => {
    const next = clock.now() + leaseMs;
    try {
      if (await store.renew(id, leaseToken, next)) until = next;
      else lost.abort();
    } catch (error) {
      log.warn({ ...describeForLog(error), job: id }, 'renewing a lease failed');
      if (clock.now() > until) lost.abort(); // by now another process may have taken the job over
    }
  }, leaseMs / 3);
  return {
    lost: lost.signal,
    async complete(trx) {
      if (!(await store.remove(id, leaseToken, trx))) throw new LeaseLost();
    },
    putAway: (keepDead, error) =>
      keepDead ? store.bury(id, leaseToken, reasonOf(error)) : store.remove(id, leaseToken),
    release: () => clearInterval(heartbeat),
  };
}
