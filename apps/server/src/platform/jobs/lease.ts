// Runs jobs under a lease, which it keeps alive, and settles their outcome.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import type { Transaction } from '../database/database.ts';
import { GiveUp, type JobHandler, type JobKind, LeaseLost } from './job.ts';
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

export class HeldLease<Payload, Result> {
  readonly #job: JobKind<Payload, Result>;
  readonly #leased: LeasedJob;
  readonly #tools: RunTools;
  readonly #lost = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  /** Aborted once another process may have taken the job over. */
  readonly lost = this.#lost.signal;
  /** Aborted when the lease is lost or the service stops. */
  readonly signal: AbortSignal;

  constructor(job: JobKind<Payload, Result>, leased: LeasedJob, tools: RunTools) {
    this.#job = job;
    this.#leased = leased;
    this.#tools = tools;
    this.#heartbeat = setInterval(() => void this.#renew(), job.leaseMs / 3);
    this.signal = AbortSignal.any([this.lost, tools.stopping]);
  }

  /** Runs the handler once. `isCompleted`: the handler ended the job in its own transaction, which committed. */
  async attempt(
    handler: JobHandler<Payload, Result>,
    payload: Payload,
    run: { attempt: number; isAwaited: boolean },
  ): Promise<{ result: Result; isCompleted: boolean }> {
    const { id, leaseToken } = this.#leased;
    let isCompleted = false;
    const complete = async (trx: Transaction) => {
      if (!(await this.#tools.store.remove(id, leaseToken, trx))) throw new LeaseLost();
      isCompleted = true;
    };
    const result = await handler(payload, { ...run, id, signal: this.signal, complete });
    return { result, isCompleted };
  }

  /** Buries or deletes a job after its last attempt. Returns false if the lease was lost. */
  putAway(reason: string): Promise<boolean> {
    const { id, leaseToken } = this.#leased;
    const { store } = this.#tools;
    return this.#job.keepDead ? store.bury(id, leaseToken, reason) : store.remove(id, leaseToken);
  }

  /** Leaves the job to a later run. Returns false if the lease was lost. */
  reschedule(next: NextRun): Promise<boolean> {
    return this.#tools.store.reschedule(this.#leased.id, this.#leased.leaseToken, next);
  }

  /** Ends the heartbeat. The lease itself stays until the job is finished or its time is up. */
  release(): void {
    clearInterval(this.#heartbeat);
  }

  async #renew(): Promise<void> {
    const { store, clock, log } = this.#tools;
    const { id, leaseToken, leaseUntil } = this.#leased;
    const next = clock.now() + this.#job.leaseMs;
    try {
      if (await store.renew(id, leaseToken, next)) this.#leased.leaseUntil = next;
      else this.#lost.abort();
    } catch (error) {
      log.warn({ ...describeForLog(error), job: id }, 'renewing a lease failed');
      if (clock.now() > leaseUntil) this.#lost.abort(); // another process may have taken the job over
    }
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof GiveUp) return error.message;
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
  { id, attempts }: { id: string; attempts: number },
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
