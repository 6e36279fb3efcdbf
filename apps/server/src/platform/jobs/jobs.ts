// Background work that survives a crash: a transactional outbox with leases, at-least-once.
//
// A job is a row written in the caller's transaction, so it exists exactly if that transaction committed. A run holds a lease. If a
// process dies, its lease runs out and another run takes over, so a handler must tolerate a second run. A run that lost its lease can
// neither finish nor fail the job (the token differs).
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { afterCommit, type Database, type Transaction } from '../database/database.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { tables } from '../tables.ts';
import type { JobHandler, JobKind } from './job.ts';
import { runClaimed } from './lease.ts';
import { performJob } from './perform.ts';
import { type JobRow, type JobStore, type NewJobRow, RECURRING } from './store.ts';

const POLL_MS = 1_000;
/** Interval of a check that is only needed after the clock was wrong. */
const BRING_FORWARD_MS = 60_000;
/** Maximum size of one claim, which blocks its share of the room until it returns. */
const CLAIMED_AT_ONCE = 64;

interface JobsOptions {
  database: Database;
  store: JobStore;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
  log: Logger;
}

interface RegisteredKind {
  job: JobKind<unknown, unknown>;
  handler: JobHandler<unknown, unknown>;
  running: number;
  /** Room of jobs that are inserted as running in open transactions, and of a claim that has not returned. */
  promised: number;
  isDue: boolean;
}

type RunningJob = Pick<JobRow, 'id' | 'payload' | 'attempts' | 'lease_until'>;

export class Jobs {
  readonly #options: JobsOptions;
  readonly #kinds = new Map<string, RegisteredKind>();
  readonly #runs = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<unknown> | undefined;
  #claiming: Promise<unknown> | undefined;
  #claimAgain = false;
  #started = false;
  #broughtForwardAt = Number.NEGATIVE_INFINITY;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Registers a kind. Kinds without a handler here are left to other processes. */
  handle<Payload, Result>(job: JobKind<Payload, Result>, handler: JobHandler<Payload, Result>): void {
    if (this.#kinds.has(job.kind)) throw new Error(`two handlers for ${job.kind}`);
    const idle = { running: 0, promised: 0, isDue: false };
    this.#kinds.set(job.kind, { job, handler: handler as JobHandler<unknown, unknown>, ...idle });
  }

  /** Adds a job to the transaction. Returns false while a job of the same kind and `uniqueKey` waits or runs. */
  async enqueue<Payload, Result>(
    trx: Transaction,
    job: JobKind<Payload, Result>,
    payload: Payload,
    options: { runAt?: number; uniqueKey?: string } = {},
  ): Promise<boolean> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const { runAt = now, uniqueKey = null } = options;
    const { id, sealed } = this.#seal(payload);
    const row = { id, kind: job.kind, payload: sealed, run_at: runAt, unique_key: uniqueKey, created_at: now };
    const free = runAt <= now && uniqueKey === null ? this.#findFree(job.kind) : undefined;
    if (free) return this.#insertRunning(trx, free, row, payload);
    const isAdded = await store.insert(trx, row);
    if (isAdded && runAt <= now) afterCommit(trx, () => this.#noteDue(job.kind));
    return isAdded;
  }

  /** Runs a job at once and returns the result of its handler. Throws JobFailedError after the last attempt. */
  perform<Payload, Result>(
    job: JobKind<Payload, Result>,
    payload: Payload,
    logFields: Record<string, string> = {},
  ): Promise<Result> {
    const handler = this.#kinds.get(job.kind)?.handler as JobHandler<Payload, Result> | undefined;
    if (!handler) throw new Error(`there is no handler for ${job.kind}`);
    const { id, sealed: sealedPayload } = this.#seal(payload);
    const tools = { ...this.#tools, log: this.#options.log.child(logFields) };
    const performance = performJob({ job, handler, id, payload, sealedPayload }, tools, (rest) => this.#track(rest));
    this.#track(performance);
    return performance;
  }

  async start(): Promise<void> {
    for (const { job } of this.#kinds.values()) {
      if (job.everyMs === undefined) continue;
      await this.#options.database.transact((trx) => this.enqueue(trx, job, null, { uniqueKey: RECURRING }));
    }
    this.#started = true;
    this.#look();
  }

  async stop(): Promise<void> {
    this.#started = false;
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#looking;
    await this.#claiming;
    // A running job may have added another, which began with its commit.
    while (this.#runs.size > 0) await Promise.allSettled(this.#runs);
  }

  async runDue(): Promise<number> {
    for (const registered of this.#kinds.values()) registered.isDue = true;
    const runs = await this.#claimDue();
    await Promise.all(runs);
    return runs.length;
  }

  get #tools() {
    const { store, clock, log } = this.#options;
    return { store, clock, log, stopping: this.#stopping.signal };
  }

  #seal(payload: unknown) {
    const { ids, sealer } = this.#options;
    const id = ids.sortable();
    return { id, sealed: sealer.sealJson(payload, tables.jobs.places.payload({ id })) };
  }

  /** Returns the kind if this process would run a new job after its commit: no job of the kind waits, and there is room. */
  #findFree(kind: string): RegisteredKind | undefined {
    const registered = this.#kinds.get(kind);
    if (!registered || !this.#started || registered.isDue) return undefined;
    return countFreeSlots(registered) > 0 ? registered : undefined;
  }

  /**
   * Inserts a job with the lease that it would get a moment later, so that no process has to claim it. If this process dies first, the
   * lease runs out. Its first run is counted either way, because telling the cases apart would cost the write that this saves.
   */
  async #insertRunning(trx: Transaction, registered: RegisteredKind, row: NewJobRow, payload: unknown) {
    const { store, clock } = this.#options;
    const lease = { token: randomUUID(), until: row.created_at + registered.job.leaseMs };
    registered.promised += 1;
    const returnRoom = () => {
      registered.promised -= 1;
    };
    let isAdded = false;
    // Registered before the insert, so that a transaction that fails during it returns the room, too.
    afterCommit(
      trx,
      () => {
        returnRoom();
        // After a transaction longer than the lease, another process may have the job.
        if (!isAdded || clock.now() > lease.until) return;
        void this.#begin(registered, { ...row, attempts: 1, lease_until: lease.until }, lease.token, payload);
      },
      returnRoom,
    );
    isAdded = await store.insert(trx, row, lease);
    return isAdded;
  }

  #track(work: Promise<unknown>): void {
    const forget = () => void this.#runs.delete(work);
    this.#runs.add(work);
    work.then(forget, forget);
  }

  /** Polls all kinds with one read, for jobs of other processes, jobs that come due, and leases that run out. */
  #look(): void {
    this.#looking = this.#markDue()
      .catch((error) => this.#options.log.error(describeForLog(error), 'looking for jobs failed'))
      .finally(() => {
        if (this.#started) this.#timer = setTimeout(() => this.#look(), POLL_MS);
      });
  }

  async #markDue(): Promise<void> {
    const { store, clock } = this.#options;
    if (!clock.isWrong?.() && performance.now() - this.#broughtForwardAt >= BRING_FORWARD_MS) {
      const waits = [...this.#kinds.values()].map(({ job: { kind, longestWaitMs } }) => [kind, longestWaitMs] as const);
      await store.bringForward(new Map(waits), clock.now());
      this.#broughtForwardAt = performance.now();
    }
    for (const kind of await store.listDue([...this.#kinds.keys()], clock.now())) this.#kinds.get(kind)!.isDue = true;
    this.#wake();
  }

  #noteDue(kind: string): void {
    const registered = this.#kinds.get(kind);
    if (!registered) return;
    registered.isDue = true;
    this.#wake();
  }

  #wake(): void {
    if (!this.#started) return;
    if (this.#claiming !== undefined) {
      this.#claimAgain = true;
      return;
    }
    this.#claiming = this.#claimDue()
      .catch((error) => this.#options.log.error(describeForLog(error), 'taking jobs failed'))
      .finally(() => {
        this.#claiming = undefined;
        if (!this.#claimAgain) return;
        this.#claimAgain = false;
        this.#wake();
      });
  }

  async #claimDue(): Promise<Promise<void>[]> {
    const { clock, store } = this.#options;
    const runs: Promise<void>[] = [];
    for (const registered of this.#kinds.values()) {
      const { kind, leaseMs, needsRightClock } = registered.job;
      const limit = Math.min(countFreeSlots(registered), CLAIMED_AT_ONCE);
      if (!registered.isDue || limit <= 0 || this.#stopping.signal.aborted) continue;
      if (needsRightClock && clock.isWrong?.()) continue;
      // Cleared before the claim, which may miss jobs that are added during it.
      registered.isDue = false;
      const now = clock.now();
      const leaseToken = randomUUID();
      registered.promised += limit;
      const rows = await store.claim({ kind, now, leaseUntil: now + leaseMs, leaseToken, limit }).finally(() => {
        registered.promised -= limit;
      });
      for (const row of rows) runs.push(this.#begin(registered, row, leaseToken));
      if (rows.length === limit) {
        registered.isDue = true;
        this.#claimAgain ||= countFreeSlots(registered) > 0;
      }
    }
    return runs;
  }

  /** `payload` is given for a job that was added here and need not be opened. */
  #begin(registered: RegisteredKind, row: RunningJob, leaseToken: string, payload?: unknown): Promise<void> {
    const { job, handler } = registered;
    const { sealer, log } = this.#options;
    const { id, attempts, lease_until } = row;
    const openPayload = () => payload ?? sealer.openJson(row.payload, tables.jobs.places.payload({ id }));
    registered.running += 1;
    const claimed = { id, attempts, leaseToken, leaseUntil: lease_until ?? 0 };
    const run = runClaimed(job, handler, claimed, openPayload, this.#tools)
      .catch((error) => log.error({ ...describeForLog(error), job: id }, 'finishing a job failed; it will run again'))
      .finally(() => {
        registered.running -= 1;
        if (registered.isDue) this.#wake();
      });
    this.#track(run);
    return run;
  }
}

function countFreeSlots({ job, running, promised }: RegisteredKind): number {
  return job.concurrency - running - promised;
}
