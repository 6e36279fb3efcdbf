// The database behind one interface: a SQLite file by default, PostgreSQL with a connection string.
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { makeFolder } from '../files/folder.ts';
import { type ConnectionOptions, openConnections, type PostgresTimeouts } from './postgres-connections.ts';
import { createPrepare, type Transaction } from './prepare-query.ts';
import type { Schema } from './schema.ts';
import { openSqlite, type QueryListener } from './sqlite-dialect.ts';
import type { RoomOptions } from './sqlite-room.ts';

export type Queries = Kysely<Schema>;
export type { Transaction };
/** Work that belongs to the caller's transaction. */
export type InTransaction = (trx: Transaction) => Promise<void>;
export type Engine = 'sqlite' | 'postgres';

export interface Database extends ReturnType<typeof createPrepare> {
  readonly engine: Engine;
  readonly queries: Queries;
  /**
   * Runs `work` in one transaction and resolves once it is on disk. `work` must await nothing but the database. With `makesRoom`, it may
   * use the disk reserve if the disk of SQLite is full, and is then called a second time.
   */
  transact<T>(work: (trx: Transaction) => Promise<T>, options?: { makesRoom?: boolean }): Promise<T>;
  ping(): Promise<void>;
  /** Empties the write-ahead log of SQLite into the file. PostgreSQL does this by itself. */
  checkpoint(): Promise<void>;
  isFull(): boolean;
  reserveBytes(): number;
  close(): Promise<void>;
}

/** Part of a database that runs queries, such as a transaction. */
export type QueriedDatabase = Pick<Database, 'engine' | 'queries'>;

export interface DatabaseOptions extends Partial<RoomOptions> {
  /** PostgreSQL connection string. Without it, the file `limen.db` in `dataDir` is used. */
  url: string | undefined;
  dataDir: string;
  onConnectionError?: (error: Error) => void;
  timeouts?: PostgresTimeouts;
  refusesReadOnly?: boolean;
  onQuery?: QueryListener | undefined;
}

type EndHook = (isCommitted: boolean) => void;

const endHooks = new WeakMap<Transaction, EndHook[]>();

/** Calls `onCommit` after the transaction has committed, or `onRollback` if it rolled back. */
export function afterCommit(trx: Transaction, onCommit: () => void, onRollback?: () => void): void {
  endHooks.get(trx)?.push((isCommitted) => (isCommitted ? onCommit() : onRollback?.()));
}

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'limen.db');
}

export function openDatabase({ url, dataDir, ...options }: DatabaseOptions): Database {
  const { onConnectionError: onBroken = () => {}, timeouts, refusesReadOnly, onQuery } = options;
  if (url !== undefined) return assembleDatabase(openPostgres(url, { onBroken, timeouts, refusesReadOnly }, onQuery));
  const { reserveBytes = 0, onRoomChange = () => {} } = options;
  makeFolder(dataDir);
  return assembleDatabase(openSqlite(sqliteFile(dataDir), { reserveBytes, onRoomChange, onQuery }));
}

function assembleDatabase({
  room,
  execute,
  transact,
  ...handle
}: ReturnType<typeof openSqlite> | ReturnType<typeof openPostgres>): Database {
  const transactOnce = async <T>(work: (trx: Transaction) => Promise<T>): Promise<T> => {
    const hooks: EndHook[] = [];
    let isCommitted = false;
    try {
      const result = await transact((trx) => {
        endHooks.set(trx, hooks);
        return work(trx);
      });
      isCommitted = true;
      return result;
    } finally {
      for (const hook of hooks) hook(isCommitted);
    }
  };
  return {
    ...handle,
    ...createPrepare(execute),
    transact: (work, { makesRoom = false } = {}) =>
      room ? room.run(makesRoom, () => transactOnce(work)) : transactOnce(work),
    isFull: () => room?.isFull() ?? false,
    reserveBytes: () => room?.reserveBytes() ?? 0,
  };
}

function openPostgres(url: string, options: ConnectionOptions, onQuery: QueryListener | undefined) {
  const pool = openConnections(url, options);
  const queries = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    ...(onQuery && {
      log: ({ level, query, queryDurationMillis }) => onQuery(query.sql, queryDurationMillis, level === 'error'),
    }),
  });
  return {
    engine: 'postgres' as const,
    queries,
    room: undefined,
    execute: queries.executeQuery.bind(queries),
    transact: <T>(work: (trx: Transaction) => Promise<T>) => queries.transaction().execute(work),
    ping: pool.ping,
    checkpoint: async () => {},
    close: () => queries.destroy(),
  };
}
