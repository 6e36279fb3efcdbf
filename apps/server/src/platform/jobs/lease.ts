// Keeps a job's lease alive during a run, reports its loss, and ends the job under it.
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
  /** Aborted when the service stops. */
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

/** Returns what may be stored of a failure. */
export function reasonOf(error: unknown): string {
  if (error instanceof GiveUp) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
