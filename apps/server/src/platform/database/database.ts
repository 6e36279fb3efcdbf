// The database behind one interface: a file by default, PostgreSQL with a connection string.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Compilable,
  type CompiledQuery,
  Kysely,
  type Transaction as KyselyTransaction,
  type QueryResult,
} from 'kysely';
import type { PostgresTimeouts } from './postgres-connections.ts';
import { openPostgres } from './postgres-dialect.ts';
import { prepareQuery } from './prepare-query.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite-dialect.ts';

export type Queries = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;
export type Engine = 'sqlite' | 'postgres';

export interface Database {
  readonly engine: Engine;
  readonly queries: Queries;
  /** Runs `work` in one transaction; resolves once it is on disk. Await nothing but the database inside. */
  transact<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
  /**
   * A query that is built and compiled once, for hot paths: building costs more than running it. `build` is called once
   * with placeholders, so its shape must not depend on its arguments. Runs outside transactions.
   */
  prepare<Arguments extends readonly unknown[], Row>(
    build: (...given: Arguments) => Compilable<Row>,
  ): (...given: Arguments) => Promise<Row[]>;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  /** SQLite: empties the write-ahead log into the file. PostgreSQL does this by itself. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** PostgreSQL connection string; without it the file `limen.db` in `dataDir` is used. */
  url: string | undefined;
  dataDir: string;
  /** Hears of connections to PostgreSQL that broke. */
  onConnectionError?: (error: Error) => void;
  /** Of the connections to PostgreSQL; a test makes them shorter. */
  timeouts?: PostgresTimeouts;
}

const commitHooks = new WeakMap<Transaction, (() => void)[]>();

/** Calls `hook` once the transaction has committed, and never if it rolls back. */
export function afterCommit(trx: Transaction, hook: () => void): void {
  commitHooks.get(trx)?.push(hook);
}

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'limen.db');
}

export function openDatabase({ url, dataDir, onConnectionError, timeouts }: DatabaseOptions): Database {
  if (url === undefined) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const handle =
    url === undefined
      ? { engine: 'sqlite' as const, ...openSqlite(sqliteFile(dataDir)) }
      : { engine: 'postgres' as const, ...openPostgres(url, onConnectionError ?? (() => {}), timeouts) };
  const checkpoint = 'checkpoint' in handle ? handle.checkpoint : async () => {};
  const queries = new Kysely<Schema>({ dialect: handle.dialect });
  const execute = <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> =>
    'execute' in handle ? handle.execute(query) : queries.executeQuery(query);
  return {
    engine: handle.engine,
    queries,
    async transact(work) {
      const hooks: (() => void)[] = [];
      const result = await queries.transaction().execute((trx) => {
        commitHooks.set(trx, hooks);
        return work(trx);
      });
      for (const hook of hooks) hook();
      return result;
    },
    prepare: (build) => prepareQuery(execute, build),
    async ping() {
      await queries.selectFrom('schema_migrations').select('name').limit(1).execute();
    },
    checkpoint,
    async close() {
      await queries.destroy();
    },
  };
}
