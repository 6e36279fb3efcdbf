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
import { GiveUp, type JobHandler, type JobKind } from './job.ts';
import { type HeldLease, holdLease, reasonOf, watchCompletion } from './lease.ts';
import { performJob } from './perform.ts';
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

export interface Jobs {
  /** Says what this process can run. Kinds without a handler here are left to other processes. */
  handle<Payload, Result>(job: JobKind<Payload, Result>, handler: JobHandler<Payload, Result>): void;
  /** Adds a job to the caller's transaction. False when its unique key is taken. */
  enqueue<Payload, Result>(
    trx: Transaction,
    job: JobKind<Payload, Result>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<boolean>;
  /** Runs a job here and now and waits for what its handler returns; JobFailed once its attempts are used up. */
  perform<Payload, Result>(
    job: JobKind<Payload, Result>,
    payload: Payload,
    logFields?: Record<string, string>,
  ): Promise<Result>;
  /** Begins to work; recurring jobs are set up first. */
  start(): Promise<void>;
  /** Takes no more jobs and waits for those that run. */
  stop(): Promise<void>;
  /** One pass: takes what is due, runs it, returns how many. */
  runDue(): Promise<number>;
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

export function createJobs({ database, store, sealer, clock, ids, log }: JobsOptions): Jobs {
  const kinds = new Map<string, Registered>();
  const runs = new Set<Promise<void>>();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<unknown> | undefined;
  let claiming: Promise<unknown> | undefined;
  let claimAgain = false;
  let started = false;
  let broughtForwardAt = Number.NEGATIVE_INFINITY;

  const jobs: Jobs = {
    handle(job, handler) {
      if (kinds.has(job.kind)) throw new Error(`two handlers for ${job.kind}`);
      const nothing = { running: 0, promised: 0, hasReady: false, hasAbandoned: false };
      kinds.set(job.kind, { job, handler: handler as JobHandler<unknown, unknown>, ...nothing });
    },

    async enqueue(trx, job, payload, options = {}) {
      const id = ids.sortable();
      const now = clock.now();
      const { runAt = now, uniqueKey = null } = options;
      const sealed = sealer.sealJson(payload, tables.jobs.places.payload({ id }));
      const row = { id, kind: job.kind, payload: sealed, run_at: runAt, unique_key: uniqueKey, created_at: now };
      const free = runAt <= now && uniqueKey === null ? findFree(job.kind) : undefined;
      if (free) return insertRunning(trx, free, row, payload);
      const added = await store.insert(trx, row);
      if (added && runAt <= now) afterCommit(trx, () => noteReady(job.kind));
      return added;
    },

    perform<Payload, Result>(job: JobKind<Payload, Result>, payload: Payload, logFields = {}) {
      const handler = kinds.get(job.kind)?.handler as JobHandler<Payload, Result> | undefined;
      if (!handler) throw new Error(`there is no handler for ${job.kind}`);
      const id = ids.sortable();
      const sealedPayload = sealer.sealJson(payload, tables.jobs.places.payload({ id }));
      const tools = { store, clock, log: log.child(logFields), stopping: stopping.signal, onEnd: track };
      const performance = performJob({ job, handler, id, payload, sealedPayload, ...tools });
      track(performance);
      return performance;
    },

    async start() {
      for (const { job } of kinds.values()) {
        if (job.everyMs === undefined) continue;
        await database.transact((trx) => jobs.enqueue(trx, job, null, { uniqueKey: RECURRING }));
      }
      started = true;
      look();
    },

    async stop() {
      started = false;
      clearTimeout(timer);
      stopping.abort();
      await looking;
      await claiming;
      // One that runs may have added another, which began with its commit.
      while (runs.size > 0) await Promise.all(runs);
    },

    async runDue() {
      for (const registered of kinds.values()) Object.assign(registered, { hasReady: true, hasAbandoned: true });
      const begun = await claimDue();
      await Promise.all(begun);
      return begun.length;
    },
  };
  return jobs;

  /** Where this process would run a new job as soon as it is committed: none of its kind waits, and there is room. */
  function findFree(kind: string): Registered | undefined {
    const registered = kinds.get(kind);
    if (!registered || !started || registered.hasReady) return undefined;
    return roomOf(registered) > 0 ? registered : undefined;
  }

  function roomOf({ job, running, promised }: Registered): number {
    return job.concurrency - running - promised;
  }

  /**
   * Written under the lease that it would be taken with a moment later, so that nobody has to look for it and write it once more. Should
   * this process end before it runs, its lease runs out, as it does for one that was just taken. Its first run is counted with that lease,
   * begun or not: nobody could tell without the further write that this saves.
   */
  async function insertRunning(trx: Transaction, registered: Registered, row: NewJobRow, payload: unknown) {
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
        // After a transaction that took longer than the lease it is anybody's by now.
        if (!added || clock.now() > lease.until) return;
        void begin(registered, { ...row, attempts: 1, lease_until: lease.until }, lease.token, payload);
      },
      end,
    );
    added = await store.insert(trx, row, lease);
    return added;
  }

  /** So that `stop` waits for it, however it ends. */
  function track(work: Promise<unknown>): void {
    const run = work.then(
      () => void runs.delete(run),
      () => void runs.delete(run),
    );
    runs.add(run);
  }

  /** Other processes add jobs, times come and leases run out: all of that is seen by looking at every kind, by one read. */
  function look(): void {
    looking = markDue()
      .catch((error) => log.error(describeForLog(error), 'looking for jobs failed'))
      .finally(() => {
        if (started) timer = setTimeout(look, POLL_MS);
      });
  }

  async function markDue(): Promise<void> {
    if (!clock.isWrong?.() && performance.now() - broughtForwardAt >= BRING_FORWARD_MS) {
      const waits = [...kinds.values()].map(({ job: { kind, longestWaitMs } }) => [kind, longestWaitMs] as const);
      await store.bringForward(new Map(waits), clock.now());
      broughtForwardAt = performance.now();
    }
    for (const { kind, ready, abandoned } of await store.listDue([...kinds.keys()], clock.now())) {
      const registered = kinds.get(kind);
      if (!registered) continue;
      registered.hasReady ||= ready;
      registered.hasAbandoned ||= abandoned;
    }
    wake();
  }

  /** What was added here is not waited for. */
  function noteReady(kind: string): void {
    const registered = kinds.get(kind);
    if (!registered) return;
    registered.hasReady = true;
    wake();
  }

  function wake(): void {
    if (!started) return;
    if (claiming !== undefined) {
      claimAgain = true;
      return;
    }
    claiming = claimDue()
      .catch((error) => log.error(describeForLog(error), 'taking jobs failed'))
      .finally(() => {
        claiming = undefined;
        if (!claimAgain) return;
        claimAgain = false;
        wake();
      });
  }

  /** Begins every job that is known to be due and for which this process has room. */
  async function claimDue(): Promise<Promise<void>[]> {
    const begun: Promise<void>[] = [];
    for (const registered of kinds.values()) {
      const limit = Math.min(roomOf(registered), CLAIMED_AT_ONCE);
      if (registered.job.needsRightClock && clock.isWrong?.()) continue;
      if (limit <= 0 || stopping.signal.aborted || !(registered.hasReady || registered.hasAbandoned)) continue;
      const abandonedToo = registered.hasAbandoned;
      // Before the claim: what is added meanwhile may be too late for it.
      Object.assign(registered, { hasReady: false, hasAbandoned: false });
      const now = clock.now();
      const leaseToken = randomUUID();
      const leaseUntil = now + registered.job.leaseMs;
      const { kind } = registered.job;
      const rows = await claimRoom(registered, { kind, now, leaseUntil, leaseToken, limit, abandonedToo });
      for (const row of rows) begun.push(begin(registered, row, leaseToken));
      if (rows.length === limit) {
        registered.hasReady = true;
        // A look may have seen some meanwhile.
        registered.hasAbandoned ||= abandonedToo;
        claimAgain ||= roomOf(registered) > 0;
      }
    }
    return begun;
  }

  async function claimRoom(registered: Registered, claim: Claim): Promise<JobRow[]> {
    registered.promised += claim.limit;
    try {
      return await store.claim(claim);
    } finally {
      registered.promised -= claim.limit;
    }
  }

  function begin(registered: Registered, row: RunningJob, leaseToken: string, payload?: unknown): Promise<void> {
    registered.running += 1;
    const run = runOne(registered, row, leaseToken, payload)
      .catch((error) =>
        log.error({ ...describeForLog(error), job: row.id }, 'finishing a job failed; it will run again'),
      )
      .finally(() => {
        registered.running -= 1;
        runs.delete(run);
        if (registered.hasReady || registered.hasAbandoned) wake();
      });
    runs.add(run);
    return run;
  }

  /** `given`: the payload of one that was added here, which need not be opened. */
  async function runOne(
    { job, handler }: Registered,
    row: RunningJob,
    leaseToken: string,
    given: unknown,
  ): Promise<void> {
    if (row.attempts > job.maxAttempts && job.everyMs === undefined) {
      // Every run so far ended with its process: the job may well be what ended it.
      log.error({ job: row.id, kind: job.kind, attempt: row.attempts }, 'a job is dead: none of its runs finished');
      if (job.keepDead) await store.bury(row.id, leaseToken, 'NeverFinished');
      else await store.remove(row.id, leaseToken);
      return;
    }
    const { id, attempts: attempt } = row;
    const terms = { id, leaseToken, leaseUntil: row.lease_until ?? 0, leaseMs: job.leaseMs };
    const lease = holdLease({ ...terms, store, clock, log });
    const { complete, isCompleted } = watchCompletion(lease);
    try {
      const payload = given ?? sealer.openJson(row.payload, tables.jobs.places.payload({ id }));
      const signal = AbortSignal.any([lease.lost, stopping.signal]);
      await handler(payload, { id, attempt, isAwaited: false, signal, complete });
    } catch (error) {
      lease.release();
      await fail(job, row, lease, leaseToken, error);
      return;
    } finally {
      lease.release();
    }
    if (!isCompleted()) await succeed(job, row, leaseToken);
  }

  async function succeed(job: JobKind<unknown, unknown>, row: RunningJob, leaseToken: string): Promise<void> {
    if (job.everyMs === undefined) await store.remove(row.id, leaseToken);
    else await store.reschedule(row.id, leaseToken, nextRound(job.everyMs, null));
  }

  async function fail(
    job: JobKind<unknown, unknown>,
    row: RunningJob,
    lease: HeldLease,
    leaseToken: string,
    error: unknown,
  ): Promise<void> {
    const lastError = reasonOf(error);
    const reason = error instanceof GiveUp ? { reason: error.reason } : {};
    const line = { ...describeForLog(error), ...reason, job: row.id, kind: job.kind, attempt: row.attempts };
    const [level, outcome, settled] = await settle();
    if (settled) log[level](line, outcome);
    else log.warn(line, 'a job failed after it had lost its lease; the run that took it over decides');

    async function settle(): Promise<['info' | 'warn' | 'error', string, boolean]> {
      if (stopping.signal.aborted && !(error instanceof GiveUp)) {
        // Cut short by the shutdown, which is not the job's fault: the next process begins the same attempt again.
        const again = { runAt: clock.now(), attempts: row.attempts - 1, lastError };
        return ['info', 'a job was cut short by the shutdown', await store.reschedule(row.id, leaseToken, again)];
      }
      if (job.everyMs !== undefined) {
        const again = nextRound(job.everyMs, lastError);
        return ['warn', 'a recurring job failed; it comes again', await store.reschedule(row.id, leaseToken, again)];
      }
      if (error instanceof GiveUp || row.attempts >= job.maxAttempts) {
        return ['error', 'a job is dead', await lease.putAway(job.keepDead, error)];
      }
      const again = { runAt: clock.now() + job.backoffMs(row.attempts), attempts: row.attempts, lastError };
      return ['warn', 'a job failed; it will be tried again', await store.reschedule(row.id, leaseToken, again)];
    }
  }

  function nextRound(everyMs: number, lastError: string | null) {
    return { runAt: clock.now() + everyMs, attempts: 0, lastError };
  }
}
