// Background work that survives a crash: a transactional outbox with leases, at-least-once.
//
// A job is a row written in the caller's transaction, so it exists exactly when that transaction committed. A run holds
// a lease; a process that dies loses the lease and another run takes over, so a handler must bear being run twice.
// A run that lost its lease can no longer finish or fail the job (the token differs).
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { afterCommit, type Database, type Transaction } from '../database/database.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { tables } from '../tables.ts';
import type { JobHandler, JobKind } from './job.ts';
import { performJob } from './perform.ts';
import { runClaimed } from './run-claimed.ts';
import { type Claim, type JobRow, type JobStore, type NewJobRow, RECURRING } from './store.ts';

const POLL_MS = 1_000;
/** So seldom, because it is only needed after a clock was wrong. */
const BRING_FORWARD_MS = 60_000;
/** Of one kind: room that a claim has asked for is nobody else's until it returns, and what is added meanwhile wants some, too. */
const CLAIMED_AT_ONCE = 64;

interface EnqueueOptions {
  runAt?: number;
  /** While a job of this kind and key is waiting or running, another one is not added. */
  uniqueKey?: string;
}

interface JobsOptions {
  database: Database;
  store: JobStore;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
  log: Logger;
}

interface Registered {
  job: JobKind<unknown, unknown>;
  handler: JobHandler<unknown, unknown>;
  running: number;
  /** Written as running here, in transactions that have not ended, or asked for by a claim that has not returned. */
  promised: number;
  /** Whether there may be something to take: added here, left by a claim that had no room, or seen by a look at all kinds. */
  hasReady: boolean;
  hasAbandoned: boolean;
}

type RunningJob = Pick<JobRow, 'id' | 'payload' | 'attempts' | 'lease_until'>;

export class Jobs {
  readonly #options: JobsOptions;
  readonly #kinds = new Map<string, Registered>();
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

  /** Says what this process can run. Kinds without a handler here are left to other processes. */
  handle<Payload, Result>(job: JobKind<Payload, Result>, handler: JobHandler<Payload, Result>): void {
    if (this.#kinds.has(job.kind)) throw new Error(`two handlers for ${job.kind}`);
    const nothing = { running: 0, promised: 0, hasReady: false, hasAbandoned: false };
    this.#kinds.set(job.kind, { job, handler: handler as JobHandler<unknown, unknown>, ...nothing });
  }

  /** Adds a job to the caller's transaction. Returns false if its unique key is taken. */
  async enqueue<Payload, Result>(
    trx: Transaction,
    job: JobKind<Payload, Result>,
    payload: Payload,
    options: EnqueueOptions = {},
  ): Promise<boolean> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const { runAt = now, uniqueKey = null } = options;
    const { id, sealed } = this.#seal(payload);
    const row = { id, kind: job.kind, payload: sealed, run_at: runAt, unique_key: uniqueKey, created_at: now };
    const free = runAt <= now && uniqueKey === null ? this.#findFree(job.kind) : undefined;
    if (free) return this.#insertRunning(trx, free, row, payload);
    const added = await store.insert(trx, row);
    if (added && runAt <= now) afterCommit(trx, () => this.#noteReady(job.kind));
    return added;
  }

  /** Runs a job here and now and waits for what its handler returns. Throws JobFailed once its attempts are used up. */
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

  /** Begins to work; recurring jobs are set up first. */
  async start(): Promise<void> {
    for (const { job } of this.#kinds.values()) {
      if (job.everyMs === undefined) continue;
      await this.#options.database.transact((trx) => this.enqueue(trx, job, null, { uniqueKey: RECURRING }));
    }
    this.#started = true;
    this.#look();
  }

  /** Takes no more jobs and waits for those that run. */
  async stop(): Promise<void> {
    this.#started = false;
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#looking;
    await this.#claiming;
    // A job that runs may have added another, which began with its commit.
    while (this.#runs.size > 0) await Promise.allSettled(this.#runs);
  }

  /** One pass: takes what is due, runs it, returns how many. */
  async runDue(): Promise<number> {
    for (const registered of this.#kinds.values()) Object.assign(registered, { hasReady: true, hasAbandoned: true });
    const begun = await this.#claimDue();
    await Promise.all(begun);
    return begun.length;
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

  /** Returns the kind if this process would run a new job as soon as it is committed: none of its kind waits, and there is room. */
  #findFree(kind: string): Registered | undefined {
    const registered = this.#kinds.get(kind);
    if (!registered || !this.#started || registered.hasReady) return undefined;
    return roomOf(registered) > 0 ? registered : undefined;
  }

  /**
   * Written under the lease that it would be taken with a moment later, so that no process has to look for it and write it once more.
   * If this process ends before it runs, its lease runs out, as it does for one that was just taken. Its first run is counted with that
   * lease, begun or not: telling the two apart would cost the write that this saves.
   */
  async #insertRunning(trx: Transaction, registered: Registered, row: NewJobRow, payload: unknown) {
    const { store, clock } = this.#options;
    const lease = { token: randomUUID(), until: row.created_at + registered.job.leaseMs };
    registered.promised += 1;
    const end = () => {
      registered.promised -= 1;
    };
    let added = false;
    // Before anything is awaited: a transaction that fails meanwhile gives the room back, too.
    afterCommit(
      trx,
      () => {
        end();
        // After a transaction that took longer than the lease, any process may have taken it.
        if (!added || clock.now() > lease.until) return;
        void this.#begin(registered, { ...row, attempts: 1, lease_until: lease.until }, lease.token, payload);
      },
      end,
    );
    added = await store.insert(trx, row, lease);
    return added;
  }

  /** So that `stop` waits for it, however it ends. */
  #track(work: Promise<unknown>): void {
    const forget = () => void this.#runs.delete(work);
    this.#runs.add(work);
    work.then(forget, forget);
  }

  /** Other processes add jobs, times come and leases run out: all of that is seen by looking at every kind, by one read. */
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
    for (const { kind, ready, abandoned } of await store.listDue([...this.#kinds.keys()], clock.now())) {
      const registered = this.#kinds.get(kind);
      if (!registered) continue;
      registered.hasReady ||= ready;
      registered.hasAbandoned ||= abandoned;
    }
    this.#wake();
  }

  /** What was added here is not waited for. */
  #noteReady(kind: string): void {
    const registered = this.#kinds.get(kind);
    if (!registered) return;
    registered.hasReady = true;
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

  /** Begins every job that is known to be due and for which this process has room. */
  async #claimDue(): Promise<Promise<void>[]> {
    const { clock } = this.#options;
    const begun: Promise<void>[] = [];
    for (const registered of this.#kinds.values()) {
      const limit = Math.min(roomOf(registered), CLAIMED_AT_ONCE);
      if (registered.job.needsRightClock && clock.isWrong?.()) continue;
      if (limit <= 0 || this.#stopping.signal.aborted || !(registered.hasReady || registered.hasAbandoned)) continue;
      const abandonedToo = registered.hasAbandoned;
      // Before the claim: what is added meanwhile may be too late for it.
      Object.assign(registered, { hasReady: false, hasAbandoned: false });
      const now = clock.now();
      const leaseToken = randomUUID();
      const leaseUntil = now + registered.job.leaseMs;
      const { kind } = registered.job;
      const rows = await this.#claimRoom(registered, { kind, now, leaseUntil, leaseToken, limit, abandonedToo });
      for (const row of rows) begun.push(this.#begin(registered, row, leaseToken));
      if (rows.length === limit) {
        registered.hasReady = true;
        // A look may have seen some meanwhile.
        registered.hasAbandoned ||= abandonedToo;
        this.#claimAgain ||= roomOf(registered) > 0;
      }
    }
    return begun;
  }

  async #claimRoom(registered: Registered, claim: Claim): Promise<JobRow[]> {
    registered.promised += claim.limit;
    try {
      return await this.#options.store.claim(claim);
    } finally {
      registered.promised -= claim.limit;
    }
  }

  /** `given`: the payload of one that was added here, which need not be opened. */
  #begin(registered: Registered, row: RunningJob, leaseToken: string, given?: unknown): Promise<void> {
    const { job, handler } = registered;
    const { sealer, log } = this.#options;
    const openPayload = () => given ?? sealer.openJson(row.payload, tables.jobs.places.payload({ id: row.id }));
    registered.running += 1;
    const run = runClaimed(job, handler, { ...row, leaseToken }, openPayload, this.#tools)
      .catch((error) =>
        log.error({ ...describeForLog(error), job: row.id }, 'finishing a job failed; it will run again'),
      )
      .finally(() => {
        registered.running -= 1;
        this.#runs.delete(run);
        if (registered.hasReady || registered.hasAbandoned) this.#wake();
      });
    this.#runs.add(run);
    return run;
  }
}

function roomOf({ job, running, promised }: Registered): number {
  return job.concurrency - running - promised;
}
