// Keeps a job's lease alive while a run is under way, and says when it is lost.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { describeForLog } from '../errors.ts';
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
  /** Ends the heartbeat; the lease itself stays until the job is finished or its time is up. */
  release(): void;
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
  return { lost: lost.signal, release: () => clearInterval(heartbeat) };
}
