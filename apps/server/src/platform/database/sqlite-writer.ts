// The one writing SQLite connection: transactions queue for it and share their fsync (group commit).
//
// Why it is safe. Transactions run one after another, each in a savepoint of one outer SQLite transaction. The outer
// transaction commits once per turn of the event loop, and only then does any commit() of the group resolve: an
// acknowledged write has always been fsynced. A later member of the group may read what an earlier one wrote, and
// both reach the disk together or not at all, which is the order they would have had with a commit each.
//
// A lone writer's fsync is SQLite's own, inside its commit (synchronous = full). Where several write at once, the event loop
// would stand still for each of them, so the log is brought to the disk by a thread, and whoever comes meanwhile makes up the
// next group. Until it is there nobody is told of the commit, neither its members nor a reader (`untilOnDisk`).
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const SAVEPOINT = 'limen_member';
const SQLITE_BUSY = 5;
/** How long another process (the command line, a backup) may hold the write lock. */
const LOCK_PATIENCE_MS = 5_000;
const LOCK_RETRY_MS = 10;
/** Groups of one in a row for which nobody waited, after which the fsync is SQLite's own again: it takes a lone writer less. */
const LONE_GROUPS = 8;

/** Brings to the disk what has been committed to the log up to now; what comes of it is told in a later turn. */
export type SyncLog = (done: (failure: Error | null) => void) => void;

interface WriterOptions {
  /** Called after each commit, before any member of the group hears of it. */
  onCommit?: () => void;
  /** For groups of several; without it each fsync is SQLite's own. */
  syncLog?: SyncLog | undefined;
}

interface Waiter {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** One turn on the writer. It belongs to the group that was open when it began. */
export interface Turn {
  readonly group: number;
  readonly savepoint: boolean;
}

export class SqliteWriter {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #releaseSavepoint: StatementSync;
  readonly #onCommit: () => void;
  readonly #syncLog: SyncLog | undefined;
  readonly #queue: (() => void)[] = [];
  #busy = false;
  #group = 0;
  #open = false;
  #members: Waiter[] = [];
  #flushScheduled = false;
  #flushDue = false;
  #closed = false;
  #lockedSince: number | undefined;
  /** Groups of one that the log's thread still takes. */
  #handsOver = 0;
  /** Whether SQLite leaves the fsync to it. */
  #isLax = false;
  #onDisk: Promise<void> | undefined;

  constructor(db: DatabaseSync, { onCommit = () => {}, syncLog }: WriterOptions = {}) {
    this.#db = db;
    this.#syncLog = syncLog;
    this.#begin = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    this.#savepoint = db.prepare(`savepoint ${SAVEPOINT}`);
    this.#releaseSavepoint = db.prepare(`release ${SAVEPOINT}`);
    this.#onCommit = onCommit;
  }

  /** Waits for the writer and opens a turn; with `savepoint` it can be rolled back as a whole. */
  async begin(savepoint: boolean): Promise<Turn> {
    // Awaited only where there is something to wait for: every turn of the loop that a lone writer waits is time that it loses.
    if (this.#busy) await this.#acquire();
    else this.#busy = true;
    try {
      if (!this.#open) {
        if (!this.#tryBeginGroup()) await this.#beginGroupWhenFree();
        this.#open = true;
        this.#group += 1;
      }
      if (savepoint) this.#savepoint.run();
      return { group: this.#group, savepoint };
    } catch (error) {
      if (this.#open && !this.#db.isTransaction) this.#endGroup(error);
      this.#release();
      throw error;
    }
  }

  /** Runs one statement inside a turn. */
  run<T>(turn: Turn, statement: () => T): T {
    this.#assertAlive(turn);
    try {
      return statement();
    } catch (error) {
      // A full disk or an I/O error makes SQLite roll the whole outer transaction back by itself. Every member that
      // still waits for its commit has lost its writes and must hear it; nothing may go on in autocommit mode.
      if (!this.#db.isTransaction) this.#endGroup(error);
      throw error;
    }
  }

  /** Ends the turn; resolves when its writes are on disk. */
  commit(turn: Turn): Promise<void> {
    try {
      this.#assertAlive(turn);
      if (turn.savepoint) this.#releaseSavepoint.run();
    } catch (error) {
      this.#release();
      return Promise.reject(error);
    }
    const durable = this.#join();
    this.#release();
    return durable;
  }

  /**
   * Ends the turn and undoes it; resolves when all that it may have read is on disk, because why it failed says something of that.
   * Rejects when the writes of others that it may have read were lost.
   */
  rollback(turn: Turn): Promise<void> {
    let seen = this.#onDisk;
    try {
      if (this.#isAlive(turn)) {
        if (turn.savepoint) this.#db.exec(`rollback to ${SAVEPOINT}; release ${SAVEPOINT}`);
        if (this.#members.length > 0) seen = this.#join();
      }
    } finally {
      this.#release();
    }
    return seen ?? Promise.resolve();
  }

  /** While something that readers can see is not yet on disk: resolves once it is. What was read must not be told before. */
  get untilOnDisk(): Promise<void> | undefined {
    return this.#onDisk;
  }

  /** Lets the turn that is under way finish, commits it, and refuses every later one. */
  async close(): Promise<void> {
    await this.#acquire();
    this.#closed = true;
    await this.#flushToDisk();
    this.#release();
  }

  /** Runs something that SQLite refuses inside a transaction, between two groups. */
  async runBetweenGroups(work: () => void): Promise<void> {
    await this.#acquire();
    try {
      await this.#flushToDisk();
      work();
    } finally {
      this.#release();
    }
  }

  /** Commits what is open, and tells its members once it is on disk. */
  flush(): void {
    this.#flushDue = false;
    if (!this.#open) return;
    let failure: unknown;
    try {
      this.#commit.run();
    } catch (error) {
      failure = error ?? new Error('commit failed');
    }
    if (this.#members.length > 1) this.#handsOver = LONE_GROUPS;
    try {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      this.#onCommit();
    } finally {
      if (this.#isLax && failure === undefined) this.#handOver();
      else this.#endGroup(failure);
    }
  }

  /** Resolves when the group that is open is on disk. */
  #join(): Promise<void> {
    return new Promise((resolve, reject) => this.#members.push({ resolve, reject }));
  }

  async #flushToDisk(): Promise<void> {
    await this.#onDisk;
    this.flush();
    await this.#onDisk;
  }

  /** One at a time: what is written meanwhile is the next group, which would have to wait for a second fsync anyway. */
  #handOver(): void {
    const members = this.#takeMembers();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDisk = promise;
    this.#syncLog!((failure) => {
      // What the system could not write it may have forgotten: a later fsync would succeed and prove nothing. Nobody was told of it,
      // so the process ends, and SQLite finds out at the next start what is there.
      if (failure) throw failure;
      this.#onDisk = undefined;
      this.#handsOver = this.#open ? LONE_GROUPS : Math.max(0, this.#handsOver - 1);
      resolve();
      tell(members);
      if (this.#open) this.#scheduleFlush();
    });
  }

  /** Between two groups, because SQLite changes it nowhere else. */
  #chooseSync(): void {
    const isLax = this.#syncLog !== undefined && this.#handsOver > 0;
    if (isLax === this.#isLax) return;
    this.#db.exec(`pragma synchronous = ${isLax ? 'normal' : 'full'}`);
    this.#isLax = isLax;
  }

  async #acquire(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#busy = true;
  }

  /** Takes the lock that all processes on this file share; false where another one holds it. */
  #tryBeginGroup(): boolean {
    if (this.#closed) throw new Error('the database is closed');
    try {
      this.#chooseSync();
      this.#begin.run();
      this.#lockedSince = undefined;
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#lockedSince ??= performance.now();
      if (performance.now() - this.#lockedSince > LOCK_PATIENCE_MS) throw error;
      return false;
    }
  }

  /**
   * SQLite would wait for the lock with the whole process standing still, so it is asked not to, and the waiting is done here.
   * Once the patience is used up the writers behind do not wait again, each for itself: they fail at their first try until
   * the lock is free.
   */
  async #beginGroupWhenFree(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
    while (!this.#tryBeginGroup());
  }

  #release(): void {
    this.#busy = false;
    if (this.#flushDue && !this.#onDisk) this.flush();
    if (this.#open && !this.#onDisk) this.#scheduleFlush();
    const next = this.#queue.shift();
    if (next) {
      this.#busy = true;
      next();
    }
  }

  /** An immediate runs after all sockets that were ready have been read: their writes join the same fsync. */
  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(() => {
      this.#flushScheduled = false;
      if (this.#busy) this.#flushDue = true;
      else if (!this.#onDisk) this.flush();
    });
  }

  #endGroup(failure: unknown): void {
    tell(this.#takeMembers(), failure);
  }

  #takeMembers(): Waiter[] {
    const members = this.#members;
    this.#members = [];
    this.#open = false;
    return members;
  }

  #isAlive(turn: Turn): boolean {
    return this.#open && turn.group === this.#group;
  }

  #assertAlive(turn: Turn): void {
    if (!this.#isAlive(turn)) throw new Error('the transaction was rolled back by the database');
  }
}

function tell(members: readonly Waiter[], failure?: unknown): void {
  for (const member of members) {
    if (failure === undefined) member.resolve();
    else member.reject(failure);
  }
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}
