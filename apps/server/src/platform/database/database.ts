// The database behind one interface: a file by default, PostgreSQL with a connection string.
import { join } from 'node:path';
import { type Compilable, Kysely, PostgresDialect } from 'kysely';
import { makeFolder } from '../files/folder.ts';
import { executeDirectly, type Transaction } from './execute-in.ts';
import { type ConnectionOptions, openConnections, type PostgresTimeouts } from './postgres-connections.ts';
import { prepareQuery, runByKysely } from './prepare-query.ts';
import type { Schema } from './schema.ts';
import { type OnQuery, openSqlite } from './sqlite-dialect.ts';
import type { RoomChange } from './sqlite-room.ts';

export type Queries = Kysely<Schema>;
export type { Transaction };
/** What has to be done together with something else, or not at all: part of its transaction. */
export type InTransaction = (trx: Transaction) => Promise<void>;
export type Engine = 'sqlite' | 'postgres';

export interface Database {
  readonly engine: Engine;
  readonly queries: Queries;
  /**
   * Runs `work` in one transaction; resolves once it is on disk. Await nothing but the database inside. What makes room says
   * so: on a full disk of SQLite it goes on with the room that was kept for it, and is then run a second time.
   */
  transact<T>(work: (trx: Transaction) => Promise<T>, options?: { makesRoom?: boolean }): Promise<T>;
  /**
   * A query that is built and compiled once, for hot paths: building costs more than running it. `build` is called once
   * with placeholders, so its shape must not depend on its arguments. Runs outside transactions.
   */
  prepare<Arguments extends readonly unknown[], Row>(
    build: (...given: Arguments) => Compilable<Row>,
  ): (...given: Arguments) => Promise<Row[]>;
  /** The same for a query that has no more than one row, as by a primary key: SQLite has it in half the time. */
  prepareOne<Arguments extends readonly unknown[], Row>(
    build: (...given: Arguments) => Compilable<Row>,
  ): (...given: Arguments) => Promise<Row | undefined>;
  /** Throws when the database does not answer, or is read-only. */
  ping(): Promise<void>;
  /** SQLite: empties the write-ahead log into the file. PostgreSQL does this by itself. */
  checkpoint(): Promise<void>;
  /** SQLite: whether new things are refused because the disk is full. */
  isFull(): boolean;
  /** SQLite: what is kept free at the moment for deletions on a full disk. */
  reserveBytes(): number;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** PostgreSQL connection string; without it the file `limen.db` in `dataDir` is used. */
  url: string | undefined;
  dataDir: string;
  /** Hears of connections to PostgreSQL that broke. */
  onConnectionError?: (error: Error) => void;
  /** SQLite: what to keep free for deletions on a full disk. */
  reserveBytes?: number;
  /** Hears when the disk of SQLite is full, and when it is no longer. */
  onRoomChange?: (change: RoomChange) => void;
  /** Of the connections to PostgreSQL; a test makes them shorter. */
  timeouts?: PostgresTimeouts;
  /** Whether a PostgreSQL that is read-only is refused as if it did not answer. */
  refusesReadOnly?: boolean;
  /** Hears of every query when it has ended, as part of whatever asked for it. */
  onQuery?: OnQuery | undefined;
}

interface EndHook {
  committed: () => void;
  undone: (() => void) | undefined;
}

const endHooks = new WeakMap<Transaction, EndHook[]>();

/** Calls `hook` once the transaction has committed, and never if it rolls back: then `undone`. */
export function afterCommit(trx: Transaction, hook: () => void, undone?: () => void): void {
  endHooks.get(trx)?.push({ committed: hook, undone });
}

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'limen.db');
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, dataDir, onConnectionError = () => {}, timeouts, reserveBytes = 0, onRoomChange = () => {} } = options;
  const { onQuery, refusesReadOnly } = options;
  if (url === undefined) makeFolder(dataDir);
  const handle =
    url === undefined
      ? { engine: 'sqlite' as const, ...openSqlite(sqliteFile(dataDir), { reserveBytes, onRoomChange, onQuery }) }
      : {
          engine: 'postgres' as const,
          ...openPostgres(url, { onBroken: onConnectionError, timeouts, refusesReadOnly }),
        };
  const room = 'room' in handle ? handle.room : undefined;
  const checkpoint = 'checkpoint' in handle ? handle.checkpoint : async () => {};
  const queries = new Kysely<Schema>({
    dialect: handle.dialect,
    // SQLite times its queries itself: most of them do not come this way.
    ...(onQuery &&
      handle.engine === 'postgres' && {
        log: ({ level, query, queryDurationMillis }) => onQuery(query.sql, queryDurationMillis, level === 'error'),
      }),
  });
  const direct = handle.engine === 'sqlite' ? handle : undefined;
  const compiled = direct?.compiled ?? runByKysely(queries);
  const transactOnce = async <T>(work: (trx: Transaction) => Promise<T>): Promise<T> => {
    const hooks: EndHook[] = [];
    const begin = (trx: Transaction) => {
      endHooks.set(trx, hooks);
      return work(trx);
    };
    const done = direct
      ? direct.transact(queries, (trx, executeInIt) => {
          executeDirectly(trx, executeInIt);
          return begin(trx);
        })
      : queries.transaction().execute(begin);
    const result = await done.catch((error: unknown) => {
      for (const { undone } of hooks) undone?.();
      throw error;
    });
    for (const { committed } of hooks) committed();
    return result;
  };
  return {
    engine: handle.engine,
    queries,
    transact: (work, { makesRoom = false } = {}) =>
      room ? room.run(makesRoom, () => transactOnce(work)) : transactOnce(work),
    prepare: (build) => prepareQuery(compiled.all, build),
    prepareOne: (build) => prepareQuery(compiled.first, build),
    async ping() {
      if ('ping' in handle) await handle.ping();
      else await queries.selectFrom('schema_migrations').select('name').limit(1).execute();
    },
    checkpoint,
    isFull: () => room?.isFull() ?? false,
    reserveBytes: () => room?.reserveBytes() ?? 0,
    async close() {
      await queries.destroy();
      await direct?.close(); // Kysely closes only what it has used itself
    },
  };
}

function openPostgres(url: string, options: ConnectionOptions) {
  const pool = openConnections(url, options);
  return { dialect: new PostgresDialect({ pool }), ping: pool.ping };
}
