// Kysely on node:sqlite: one writing connection with group commit, one reading connection beside it.
// Reads outside a transaction never wait for a writer (WAL) and see only what is committed.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  InsertQueryNode,
  type Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely';
import { beginFileForOwner } from '../files/owner.ts';
import type { Execute } from './execute-in.ts';
import type { RunCompiled } from './prepare-query.ts';
import { openSqliteLog, type SqliteLog, writeLogAnew } from './sqlite-log.ts';
import { openSqliteRoom, type RoomChange, type SqliteRoom } from './sqlite-room.ts';
import { isBusy, SqliteWriter, type Turn } from './sqlite-writer.ts';

/** How long opening, and a reader, wait for another process; the writer does its own waiting (sqlite-writer.ts). */
const BUSY_TIMEOUT_MS = 5_000;
const OPEN_RETRY_MS = 10;
const MAX_CACHED_STATEMENTS = 256;

/** With the text, in which parameters stand for values. */
export type OnQuery = (sql: string, ms: number, hasFailed: boolean) => void;

export interface SqliteHandle {
  dialect: Dialect;
  /** Past Kysely's connection handling. */
  compiled: RunCompiled;
  /** A transaction past Kysely's own, whose layers cost more than most of what is done in ours. */
  transact<Tables, T>(
    queries: Kysely<Tables>,
    work: (trx: Transaction<Tables>, execute: Execute) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
  /** Moves the write-ahead log into the database file and empties it, so that deleted rows are gone from both. */
  checkpoint(): Promise<void>;
  room: SqliteRoom;
}

export interface SqliteOptions {
  /** Kept free for deletions on a full disk. */
  reserveBytes: number;
  onRoomChange: (change: RoomChange) => void;
  onQuery?: OnQuery | undefined;
}

export function openSqlite(file: string, { reserveBytes, onRoomChange, onQuery }: SqliteOptions): SqliteHandle {
  beginFileForOwner(file);
  const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  useWriteAheadLog(writer);
  // FULL makes every commit an fsync, until several write at once (sqlite-writer.ts). secure_delete overwrites deleted rows with zeros.
  writer.exec(`
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma secure_delete = on;
    pragma busy_timeout = 0;
  `);
  writeLogAnew(writer, file);
  const reader = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  reader.prepare('select 1 from sqlite_schema').get(); // makes the log
  const snapshots = new SqliteReader(reader);
  const log = openSqliteLog(file);
  const groups = new SqliteWriter(writer, { onCommit: () => snapshots.endSnapshot(), syncLog: log.sync });
  const room = openSqliteRoom({ file, db: writer, reserveBytes, onChange: onRoomChange });
  const driver = new SqliteDriver({ groups, snapshots, writer, reader, log, room, onQuery });
  const dialect: Dialect = {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
  const outside = driver.connect();
  return {
    dialect,
    compiled: {
      // A read is done when it returns: nothing is awaited, and the promise is one of what is there already.
      async all<R>(query: CompiledQuery<R>) {
        if (SelectQueryNode.is(query.query)) return driver.readAll<R>(query);
        return (await outside.executeQuery<R>(query)).rows;
      },
      async first<R>(query: CompiledQuery<R>) {
        if (SelectQueryNode.is(query.query)) return driver.readFirst<R>(query);
        return (await outside.executeQuery<R>(query)).rows[0];
      },
    },
    async transact(queries, work) {
      const connection = driver.connect();
      await connection.begin();
      let isOver = false;
      const requireTime = () => {
        if (isOver) throw new Error('the transaction has ended');
      };
      const executor = queries.getExecutor().withConnectionProvider({
        async provideConnection(consumer) {
          requireTime();
          return consumer(connection);
        },
      });
      const execute: Execute = async (query) => {
        requireTime();
        return connection.executeQuery(query);
      };
      try {
        const result = await work(new Transaction({ config: { dialect }, dialect, driver, executor }), execute);
        isOver = true;
        await connection.commit();
        return result;
      } catch (error) {
        isOver = true;
        await connection.rollback();
        throw error;
      }
    },
    close: () => driver.destroy(),
    checkpoint: () =>
      groups.runBetweenGroups(() => {
        snapshots.endSnapshot(); // the log cannot be emptied under a reader
        writer.exec('pragma wal_checkpoint(truncate)'); // does nothing while another process reads; tried again later
      }),
    room,
  };
}

/**
 * Waits by itself: a new file changes its mode once, and while another process does that SQLite answers "locked" at once
 * instead of keeping its own timeout. Opening is synchronous, so the waiting is too.
 */
function useWriteAheadLog(db: DatabaseSync): void {
  const giveUpAt = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      db.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_RETRY_MS);
    }
  }
}

/** Kysely would otherwise hold all work behind one lock until each commit is done; here the writer does the queueing. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface SqliteConnections {
  groups: SqliteWriter;
  snapshots: SqliteReader;
  writer: DatabaseSync;
  reader: DatabaseSync;
  log: SqliteLog;
  room: SqliteRoom;
  onQuery: OnQuery | undefined;
}

class SqliteDriver implements Driver {
  readonly #connections: SqliteConnections;
  readonly #writes: Statements;
  readonly #reads: Statements;
  #ending: Promise<void> | undefined;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
    this.#writes = new Statements(connections.writer);
    this.#reads = new Statements(connections.reader);
  }

  async init(): Promise<void> {}

  /** A connection is only the state of one transaction; the two real ones are shared. */
  connect(): SqliteConnection {
    return new SqliteConnection(this.#connections, this.#writes, this.#reads);
  }

  readAll<R>(query: CompiledQuery<R>): R[] | Promise<R[]> {
    return this.#read(query, () => this.#reads.all<R>(query));
  }

  readFirst<R>(query: CompiledQuery<R>): R | undefined | Promise<R | undefined> {
    return this.#read(query, () => this.#reads.first<R>(query));
  }

  #read<T>({ sql }: CompiledQuery, work: () => T): T | Promise<T> {
    const { onQuery } = this.#connections;
    return onQuery
      ? timed(onQuery, sql, () => readInSnapshot(this.#connections, work))
      : readInSnapshot(this.#connections, work);
  }

  async acquireConnection(): Promise<SqliteConnection> {
    return this.connect();
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SqliteConnection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SqliteConnection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SqliteConnection).rollback();
  }

  destroy(): Promise<void> {
    this.#ending ??= this.#destroy();
    return this.#ending;
  }

  async #destroy(): Promise<void> {
    const { groups, snapshots, reader, writer, log } = this.#connections;
    await groups.close();
    snapshots.endSnapshot();
    reader.close();
    writer.close();
    log.close();
  }
}

/** What another has committed and the disk does not have yet is told to nobody: a power cut would undo it. */
function readInSnapshot<T>(
  { groups, snapshots }: Pick<SqliteConnections, 'groups' | 'snapshots'>,
  read: () => T,
): T | Promise<T> {
  const result = snapshots.run(read);
  return groups.untilOnDisk?.then(() => result) ?? result;
}

class SqliteConnection implements DatabaseConnection {
  readonly #connections: SqliteConnections;
  readonly #writer: SqliteWriter;
  readonly #room: SqliteRoom;
  readonly #onQuery: OnQuery | undefined;
  readonly #writes: Statements;
  readonly #reads: Statements;
  #turn: Turn | undefined;

  constructor(connections: SqliteConnections, writes: Statements, reads: Statements) {
    const { groups, room, onQuery } = connections;
    this.#connections = connections;
    this.#writer = groups;
    this.#room = room;
    this.#onQuery = onQuery;
    this.#writes = writes;
    this.#reads = reads;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#onQuery ? timed(this.#onQuery, query.sql, () => this.#execute<R>(query)) : this.#execute<R>(query);
  }

  #execute<R>(query: CompiledQuery): QueryResult<R> | Promise<QueryResult<R>> {
    const turn = this.#turn;
    if (turn) {
      try {
        return this.#writer.run(turn, () => this.#writes.execute<R>(query));
      } catch (error) {
        throw this.#room.explain(error);
      }
    }
    if (SelectQueryNode.is(query.query)) return readInSnapshot(this.#connections, () => this.#reads.execute<R>(query));
    // A deletion makes room, and changes (of jobs, say) lead to some.
    const mayUseReserve = !InsertQueryNode.is(query.query);
    return this.#room.run(mayUseReserve, () => this.#executeAlone<R>(query));
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#room.explain(error);
    }
  }

  /** A single write: SQLite undoes a failed statement by itself, so it needs no savepoint. */
  async #executeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const turn = await this.#writer.begin(false);
      const result = await this.#runAlone<R>(turn, query);
      await this.#writer.commit(turn);
      return result;
    } catch (error) {
      throw this.#room.explain(error);
    }
  }

  async #runAlone<R>(turn: Turn, query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return this.#writer.run(turn, () => this.#writes.execute<R>(query));
    } catch (error) {
      await this.#writer.rollback(turn);
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: required by the interface, never used
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
  }

  async begin(): Promise<void> {
    this.#turn = await this.#explained(() => this.#writer.begin(true));
  }

  async commit(): Promise<void> {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn) await this.#explained(() => this.#writer.commit(turn));
  }

  /** Kysely also calls this after a commit that failed; then there is nothing left to undo. */
  async rollback(): Promise<void> {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn) await this.#explained(() => this.#writer.rollback(turn));
  }
}

async function timed<T>(onQuery: OnQuery, sql: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const result = await work();
    onQuery(sql, performance.now() - start, false);
    return result;
  } catch (error) {
    onQuery(sql, performance.now() - start, true);
    throw error;
  }
}

/** Prepared statements of one connection; beyond the limit the oldest is dropped. */
class Statements {
  readonly #db: DatabaseSync;
  readonly #cache = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  execute<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    return { numAffectedRows: BigInt(statement.run(...parameters).changes), rows: [] };
  }

  all<R>({ sql, parameters }: CompiledQuery): R[] {
    return this.#prepare(sql).statement.all(...(parameters as SQLInputValue[])) as R[];
  }

  first<R>({ sql, parameters }: CompiledQuery): R | undefined {
    return this.#prepare(sql).statement.get(...(parameters as SQLInputValue[])) as R | undefined;
  }

  #prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const cached = this.#cache.get(sql);
    if (cached) return cached;
    const statement = this.#db.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#cache.size >= MAX_CACHED_STATEMENTS) {
      const oldest = this.#cache.keys().next().value;
      if (oldest !== undefined) this.#cache.delete(oldest);
    }
    this.#cache.set(sql, entry);
    return entry;
  }
}

export class SqliteReader {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #open = false;
  #endScheduled = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare('begin');
    this.#end = db.prepare('commit');
  }

  run<T>(read: () => T): T {
    if (!this.#open || !this.#db.isTransaction) {
      this.#begin.run();
      this.#open = true;
      this.#scheduleEnd();
    }
    return read();
  }

  /** Lets go of the snapshot; the next read takes a new one. */
  endSnapshot(): void {
    if (!this.#open) return;
    this.#open = false;
    // After an I/O error SQLite has ended the transaction by itself.
    if (this.#db.isTransaction) this.#end.run();
  }

  #scheduleEnd(): void {
    if (this.#endScheduled) return;
    this.#endScheduled = true;
    setImmediate(() => {
      this.#endScheduled = false;
      this.endSnapshot();
    });
  }
}
