// The one writing SQLite connection. Transactions queue for it and share their fsync (group commit).
//
// Transactions run one after another, each in a savepoint of one outer SQLite transaction. The outer transaction commits once per
// tick, and only then does any commit() of the group resolve: an acknowledged write has always been fsynced. A later member may read
// the writes of an earlier one, because both reach the disk together or not at all.
//
// A lone writer's fsync is SQLite's own, inside its commit (synchronous = full). With several writers, these fsyncs would block the event
// loop, so a thread fsyncs the log while the next group forms. Until then neither members nor readers (`untilOnDisk`) see the commit.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const SAVEPOINT = 'limen_member';
const SQLITE_BUSY = 5;
/** Maximum time that another process (the command line, a backup) may hold the write lock. */
const LOCK_PATIENCE_MS = 5_000;
const LOCK_RETRY_MS = 10;
/** Groups of one in a row, with no writer waiting, after which SQLite does the fsync again. A lone writer is faster that way. */
const LONE_GROUPS = 8;

/** Fsyncs the log up to the latest commit. Calls back in a later tick. */
export type SyncLog = (done: (failure: Error | null) => void) => void;

interface Waiter {
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface WriteTurn {
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
  /** Number of groups of one that the thread still fsyncs. */
  #handsOver = 0;
  /** Whether SQLite leaves the fsync to the thread. */
  #isLax = false;
  #onDisk: Promise<void> | undefined;

  /** Calls `onCommit` after each commit, before its members. Without `syncLog`, SQLite does each fsync. */
  constructor(db: DatabaseSync, { onCommit = () => {}, syncLog }: { onCommit?: () => void; syncLog?: SyncLog } = {}) {
    this.#db = db;
    this.#syncLog = syncLog;
    this.#begin = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    this.#savepoint = db.prepare(`savepoint ${SAVEPOINT}`);
    this.#releaseSavepoint = db.prepare(`release ${SAVEPOINT}`);
    this.#onCommit = onCommit;
  }

  /** Waits for the writer and opens a turn. With `savepoint`, it can be rolled back as a whole. */
  async begin(savepoint: boolean): Promise<WriteTurn> {
    // A lone writer loses time with every tick, so only a busy writer is awaited.
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

  run<T>(turn: WriteTurn, statement: () => T): T {
    this.#assertAlive(turn);
    try {
      return statement();
    } catch (error) {
      // On a full disk or an I/O error, SQLite rolls the outer transaction back by itself. All waiting members have lost their writes
      // and must fail. Nothing may continue in autocommit mode.
      if (!this.#db.isTransaction) this.#endGroup(error);
      throw error;
    }
  }

  commit(turn: WriteTurn): Promise<void> {
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

  /** Undoes and ends the turn. Resolves when all rows that it read are on disk, because its failure may reveal them. */
  rollback(turn: WriteTurn): Promise<void> {
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

  /** Set while readers can see rows that are not yet on disk. Read results must not be returned before it resolves. */
  get untilOnDisk(): Promise<void> | undefined {
    return this.#onDisk;
  }

  /** Finishes and commits the current turn, and refuses later ones. */
  close(): Promise<void> {
    return this.runBetweenGroups(() => {
      this.#closed = true;
    });
  }

  /** Runs work between two groups, for statements that SQLite refuses inside a transaction. */
  async runBetweenGroups(work: () => void): Promise<void> {
    await this.#acquire();
    try {
      await this.#onDisk;
      this.flush();
      await this.#onDisk;
      work();
    } finally {
      this.#release();
    }
  }

  /** Commits the open group, and notifies its members once it is on disk. */
  flush(): void {
    this.#flushDue = false;
    if (!this.#open) return;
    let failure: unknown;
    try {
      this.#commit.run();
    } catch (error) {
      failure = error;
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

  #join(): Promise<void> {
    return new Promise((resolve, reject) => this.#members.push({ resolve, reject }));
  }

  /** Leaves the fsync to the thread, one group at a time. Later writes form the next group. */
  #handOver(): void {
    const members = this.#takeMembers();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDisk = promise;
    this.#syncLog!((failure) => {
      // The system may have dropped the pages, so a later fsync would succeed and prove nothing. No caller saw the commit, so the process
      // ends, and SQLite recovers at the next start.
      if (failure) throw failure;
      this.#onDisk = undefined;
      this.#handsOver = this.#open ? LONE_GROUPS : Math.max(0, this.#handsOver - 1);
      resolve();
      settle(members);
      if (this.#open) this.#scheduleFlush();
    });
  }

  /** Must run between two groups, because SQLite ignores the pragma inside a transaction. */
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

  /** Takes the lock that all processes on this file share. Returns false if another one holds it. */
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

  /** Waits here, because SQLite would block the process. After the timeout, writers fail at their first try until the lock is free. */
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

  /** Flushes after all ready sockets have been read, so that their writes join the same fsync. */
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
    settle(this.#takeMembers(), failure);
  }

  #takeMembers(): Waiter[] {
    const members = this.#members;
    this.#members = [];
    this.#open = false;
    return members;
  }

  #isAlive(turn: WriteTurn): boolean {
    return this.#open && turn.group === this.#group;
  }

  #assertAlive(turn: WriteTurn): void {
    if (!this.#isAlive(turn)) throw new Error('the transaction was rolled back by the database');
  }
}

function settle(members: readonly Waiter[], failure?: unknown): void {
  for (const member of members) {
    if (failure === undefined) member.resolve();
    else member.reject(failure);
  }
}

export function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}
