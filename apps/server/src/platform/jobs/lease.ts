// Runs jobs under a lease, which it keeps alive, and settles their outcome.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import type { Transaction } from '../database/database.ts';
import { JobAbandonedError, type JobHandler, type JobKind, LeaseLostError } from './job.ts';
import type { JobStore, NextRun } from './store.ts';

export interface RunTools {
  store: JobStore;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
}

interface LeasedJob {
  id: string;
  leaseToken: string;
  leaseUntil: number;
}

/** Renews a lease until `release`. The lease itself stays until the job is finished or its time is up. */
export function holdLease(
  { leaseMs, keepDead }: JobKind<unknown, unknown>,
  { id, leaseToken, leaseUntil }: LeasedJob,
  { store, clock, log, stopping }: RunTools,
) {
  let heldUntil = leaseUntil;
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, stopping]);
  const renew = async () => {
    const next = clock.now() + leaseMs;
    try {
      if (await store.renew(id, leaseToken, next)) heldUntil = next;
      else lost.abort();
    } catch (error) {
      log.warn({ ...describeForLog(error), job: id }, 'renewing a lease failed');
      if (clock.now() > heldUntil) lost.abort(); // another process may have taken the job over
    }
  };
  const heartbeat = setInterval(() => void renew(), leaseMs / 3);

  return {
    /** Aborted once another process may have taken the job over. */
    lost: lost.signal,
    /** Aborted when the lease is lost or the service stops. */
    signal,
    /** Runs the handler once. `isCompleted`: the handler ended the job in its own transaction, which committed. */
    async attempt<Payload, Result>(
      handler: JobHandler<Payload, Result>,
      payload: Payload,
      run: { attempt: number; isAwaited: boolean },
    ) {
      let isCompleted = false;
      const complete = async (trx: Transaction) => {
        if (!(await store.remove(id, leaseToken, trx))) throw new LeaseLostError();
        isCompleted = true;
      };
      const result = await handler(payload, { ...run, id, signal, complete });
      return { result, isCompleted };
    },
    /** Buries or deletes a job after its last attempt. Returns false if the lease was lost. */
    putAway: (reason: string) => (keepDead ? store.bury(id, leaseToken, reason) : store.remove(id, leaseToken)),
    /** Leaves the job to a later run. Returns false if the lease was lost. */
    reschedule: (next: NextRun) => store.reschedule(id, leaseToken, next),
    release: () => clearInterval(heartbeat),
  };
}

export function describeReason(error: unknown): string {
  if (error instanceof JobAbandonedError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}

type AnyJob = JobKind<unknown, unknown>;

export async function runClaimed(
  job: AnyJob,
  handler: JobHandler<unknown, unknown>,
  { attempts, ...leased }: LeasedJob & { attempts: number },
  openPayload: () => unknown,
  tools: RunTools,
): Promise<void> {
  const { store, clock, log } = tools;
  const { id, leaseToken } = leased;
  if (attempts > job.maxAttempts && job.everyMs === undefined) {
    // Every run so far ended with its process, so the job may be the cause.
    log.error({ job: id, kind: job.kind, attempt: attempts }, 'a job is dead: its process died in every run');
    if (job.keepDead) await store.bury(id, leaseToken, 'NeverFinished');
    else await store.remove(id, leaseToken);
    return;
  }
  const lease = holdLease(job, leased, tools);
  try {
    const { isCompleted } = await lease.attempt(handler, openPayload(), { attempt: attempts, isAwaited: false });
    if (isCompleted) return;
  } catch (error) {
    lease.release();
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
  { id, attempts }: { id: string; attempts: number },
  error: unknown,
  lease: ReturnType<typeof holdLease>,
  { clock, log, stopping }: RunTools,
): Promise<void> {
  const lastError = describeReason(error);
  const isGivenUp = error instanceof JobAbandonedError;
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
      return ['warn', 'a recurring job failed; it will run again', isLeft];
    }
    if (isGivenUp || attempts >= job.maxAttempts) {
      return ['error', 'a job is dead', await lease.putAway(lastError)];
    }
    const isLeft = await lease.reschedule({ runAt: now + job.backoffMs(attempts), attempts, lastError });
    return ['warn', 'a job failed; it will be retried', isLeft];
  }
}
