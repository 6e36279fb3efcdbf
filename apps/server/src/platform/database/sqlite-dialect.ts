// Runs Kysely on node:sqlite, with one writing connection (group commit) and one reading connection.
// Reads outside a transaction never wait for a writer (WAL) and see only committed rows.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  InsertQueryNode,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely';
import { beginFileForOwner } from '../files/owner.ts';
import { directTransactions, type ExecuteQuery } from './prepare-query.ts';
import type { Schema } from './schema.ts';
import { openSqliteLog, rewriteLog } from './sqlite-log.ts';
import { openSqliteRoom, type RoomOptions } from './sqlite-room.ts';
import { isBusy, SqliteWriter, type WriteTurn } from './sqlite-writer.ts';

/** Limit for opening and for reads to wait for another process. The writer waits by itself (sqlite-writer.ts). */
const BUSY_TIMEOUT_MS = 5_000;
const OPEN_RETRY_MS = 10;
const MAX_CACHED_STATEMENTS = 256;

/** Called after each query. `sql` has placeholders for values. */
export type QueryListener = (sql: string, ms: number, hasFailed: boolean) => void;

export function openSqlite(file: string, options: RoomOptions & { onQuery?: QueryListener | undefined }) {
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
  rewriteLog(writer, file);
  const reader = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  reader.prepare('select 1 from sqlite_schema').get(); // Creates the log.
  const snapshots = openSnapshots(reader);
  const log = openSqliteLog(file);
  const groups = new SqliteWriter(writer, { onCommit: snapshots.end, syncLog: log.sync });
  const room = openSqliteRoom(file, writer, options);
  const { onQuery } = options;
  const shared = { groups, snapshots, room, onQuery, write: createExecute(writer), read: createExecute(reader) };
  const driver = createDriver(shared);
  const dialect: Dialect = {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  const queries = new Kysely<Schema>({ dialect });
  const outside = new SqliteConnection(shared);
  let closing: Promise<void> | undefined;
  const closeFile = async () => {
    await groups.close();
    snapshots.end();
    reader.close();
    writer.close();
    log.close();
  };
  return {
    engine: 'sqlite' as const,
    queries,
    room,
    /** Runs a compiled query outside transactions. */
    execute: ((query) => outside.executeQuery(query)) as ExecuteQuery,
    /** Runs a transaction without Kysely's layers, which cost more than most of our statements. */
    async transact<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
      const connection = new SqliteConnection(shared);
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
      const trx = new Transaction<Schema>({ config: { dialect }, dialect, driver, executor });
      directTransactions.set(trx, async (query) => {
        requireTime();
        return connection.executeQuery(query);
      });
      try {
        const result = await work(trx);
        isOver = true;
        await connection.commit();
        return result;
      } catch (error) {
        isOver = true;
        await connection.rollback();
        throw error;
      }
    },
    ping: async () => void (await queries.selectFrom('schema_migrations').select('name').limit(1).execute()),
    /** Moves the write-ahead log into the file and empties it, so that deleted rows are gone from both. */
    checkpoint: () =>
      groups.runBetweenGroups(() => {
        snapshots.end(); // the log cannot be emptied under a reader
        writer.exec('pragma wal_checkpoint(truncate)'); // does nothing while another process reads
      }),
    close() {
      closing ??= closeFile();
      return closing;
    },
  };
}

/** Retries by itself: while another process changes a new file to WAL, SQLite reports "locked" at once and ignores its timeout. */
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

/** Keeps Kysely from holding all work under one lock until each commit is done. The writer queues it. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface SharedConnections {
  groups: SqliteWriter;
  snapshots: ReturnType<typeof openSnapshots>;
  room: ReturnType<typeof openSqliteRoom>;
  onQuery: QueryListener | undefined;
  write: ExecuteOnConnection;
  read: ExecuteOnConnection;
}

function createDriver(shared: SharedConnections): Driver {
  const nothing = async () => {};
  return {
    init: nothing,
    acquireConnection: async () => new SqliteConnection(shared),
    beginTransaction: (connection) => (connection as SqliteConnection).begin(),
    commitTransaction: (connection) => (connection as SqliteConnection).commit(),
    rollbackTransaction: (connection) => (connection as SqliteConnection).rollback(),
    releaseConnection: nothing,
    destroy: nothing, // `close` closes the shared connections
  };
}

/** State of one transaction on the shared connections. */
class SqliteConnection implements DatabaseConnection {
  readonly #shared: SharedConnections;
  #turn: WriteTurn | undefined;

  constructor(shared: SharedConnections) {
    this.#shared = shared;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { onQuery } = this.#shared;
    if (!onQuery) return this.#execute<R>(query);
    const start = performance.now();
    let hasFailed = true;
    try {
      const result = await this.#execute<R>(query);
      hasFailed = false;
      return result;
    } finally {
      onQuery(query.sql, performance.now() - start, hasFailed);
    }
  }

  #execute<R>(query: CompiledQuery): QueryResult<R> | Promise<QueryResult<R>> {
    const { groups, snapshots, room, read, write } = this.#shared;
    if (this.#turn) return groups.run(this.#turn, () => write<R>(query));
    if (SelectQueryNode.is(query.query)) {
      const result = snapshots.read(() => read<R>(query));
      // Rows that are committed but not yet on disk are not returned: a power cut would undo them.
      return groups.untilOnDisk?.then(() => result) ?? result;
    }
    // Deletions make room, and so do many updates (of jobs, for example).
    return room.run(!InsertQueryNode.is(query.query), () => this.#writeAlone<R>(query));
  }

  /** Runs a single write. SQLite undoes a failed statement by itself, so it needs no savepoint. */
  async #writeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { groups, write } = this.#shared;
    const turn = await groups.begin(false);
    let result: QueryResult<R>;
    try {
      result = groups.run(turn, () => write<R>(query));
    } catch (error) {
      await groups.rollback(turn);
      throw error;
    }
    await groups.commit(turn);
    return result;
  }

  // biome-ignore lint/correctness/useYield: required by the interface, never used
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
  }

  async begin(): Promise<void> {
    this.#turn = await this.#shared.groups.begin(true);
  }

  async commit(): Promise<void> {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn) await this.#shared.groups.commit(turn);
  }

  /** Does nothing after a failed commit. */
  async rollback(): Promise<void> {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn) await this.#shared.groups.rollback(turn);
  }
}

type ExecuteOnConnection = <R>(query: CompiledQuery) => QueryResult<R>;

/** Returns a function that runs queries on one connection, with a bounded cache of prepared statements. */
function createExecute(db: DatabaseSync): ExecuteOnConnection {
  const cache = new Map<string, { statement: StatementSync; returnsRows: boolean }>();
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    if (cache.size >= MAX_CACHED_STATEMENTS) cache.delete(cache.keys().next().value!);
    cache.set(sql, entry);
    return entry;
  };
  return <R>({ sql, parameters }: CompiledQuery) => {
    const { statement, returnsRows } = cache.get(sql) ?? prepare(sql);
    const values = parameters as SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values) as R[] };
    return { numAffectedRows: BigInt(statement.run(...values).changes), rows: [] };
  };
}

/** Shares one snapshot among the reads of one tick. */
export function openSnapshots(db: DatabaseSync) {
  const begin = db.prepare('begin');
  const commit = db.prepare('commit');
  let isOpen = false;
  let isEndScheduled = false;
  /** Releases the snapshot. The next read takes a new one. */
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    // After an I/O error, SQLite has already ended the transaction.
    if (db.isTransaction) commit.run();
  };
  const scheduleEnd = () => {
    if (isEndScheduled) return;
    isEndScheduled = true;
    setImmediate(() => {
      isEndScheduled = false;
      end();
    });
  };
  return {
    read<T>(work: () => T): T {
      if (!isOpen || !db.isTransaction) {
        begin.run();
        isOpen = true;
        scheduleEnd();
      }
      return work();
    },
    end,
  };
}
