// The key-holder's state in a PostgreSQL database of its own, which several key-holders share.
import type pg from 'pg';
import { Limiter } from '../../../platform/async/limiter.ts';
import { DatabaseError, lacksRight } from '../../../platform/base/database-failures.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { type ConnectionOptions, openConnections } from '../../../platform/database/postgres-connections.ts';
import type { KeyHolderStore, Rows, RowValue } from './store.ts';
import { CREATE_IN_POSTGRES } from './tables.ts';
import { type MasterKeys, openVault, rewrapVault } from './vault.ts';

const ADVISORY_LOCK = 0x6b_68_17;
/** How long a key-holder that lost its network blocks the others: less than they wait for the lock. */
const IDLE_TURN_MS = 5_000;
const SELECT_TIME = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now';
/** Reads the time after the lock, and all in one round trip. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_TURN_MS}; select pg_advisory_xact_lock(${ADVISORY_LOCK}); ${SELECT_TIME}`;
const BEGIN_READING = `begin read only; ${SELECT_TIME}`;
/** Without a timeout: the snapshot blocks no one and may be written to a slow disk. */
const BEGIN_SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0; ${SELECT_TIME}`;

interface PostgresStoreOptions {
  url: string;
  masterKeys: MasterKeys;
  onBroken: (error: Error) => void;
  now?: (() => number) | undefined;
}

export async function openPostgresStore(options: PostgresStoreOptions): Promise<KeyHolderStore> {
  const { url, masterKeys, onBroken, now } = options;
  const opened = openPostgresRows(url, onBroken, { now, refusesReadOnly: true });
  try {
    const sealer = await opened.transact(async (rows) => {
      await createTables(rows);
      return openVault(rows, masterKeys, 'database');
    });
    // Deleted rows stay, sealed, in the server's files until a vacuum, and in its log: docs/keyholder.md.
    return { sealer, ...opened, eraseFreed: async () => {} };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Creates missing tables and returns their names. Checks first, because `if not exists` needs the right to create. Throws StartError. */
export async function createTables(rows: PostgresRows): Promise<string[]> {
  if (await rows.get`select 1 where to_regclass('schema_migrations') is not null`) {
    throw new StartError(
      'KEYHOLDER_DATABASE_URL is the service’s own database, so one stolen copy would hold both tokens and keys. Give the key-holder a database of its own.',
    );
  }
  const missing = await rows.all<{
    name: string;
  }>`select name from json_array_elements_text(${JSON.stringify(CREATE_IN_POSTGRES.map(({ name }) => name))}::json) as name where to_regclass(name) is null`;
  const names = new Set(missing.map(({ name }) => name));
  try {
    for (const { name, statement } of CREATE_IN_POSTGRES) if (names.has(name)) await rows.query(statement);
  } catch (error) {
    if (!lacksRight(error)) throw error;
    throw new StartError(
      `PostgreSQL refused to create the key-holder’s tables: ${error.message}. Nothing was changed. Run "limen keyholder migrate" with the ` +
        'account that owns the tables in KEYHOLDER_DATABASE_URL, then start again (docs/deployment.md, PostgreSQL).',
      { cause: error },
    );
  }
  return [...names];
}

export async function requireKeyHolder(rows: Rows): Promise<void> {
  if (!(await rows.get`select 1 where to_regclass('vault') is not null`)) {
    throw new StartError('The database of KEYHOLDER_DATABASE_URL contains no key-holder.');
  }
}

export function openPostgresRows(
  url: string,
  onBroken: (error: Error) => void,
  { now, refusesReadOnly }: Pick<PostgresStoreOptions, 'now'> & Pick<ConnectionOptions, 'refusesReadOnly'> = {},
) {
  const connections = openConnections(url, { onBroken, refusesReadOnly });
  /** One transaction at a time per process, so that few connections wait for the lock. */
  const turns = new Limiter({ maxRunning: 1 });

  async function within<T>(begin: string, work: (rows: PostgresRows) => Promise<T>): Promise<T> {
    const client = await connections.connect();
    let isClean = false;
    try {
      const results = (await client.query(begin)) as unknown as pg.QueryResult<{ now: number }>[];
      const result = await work(createRows(client, now?.() ?? results.at(-1)!.rows[0]!.now));
      const { command } = await client.query('commit');
      // PostgreSQL rolls back if a statement of the transaction failed.
      if (command !== 'COMMIT') throw new DatabaseError('lost', 'the transaction was not committed');
      isClean = true;
      return result;
    } catch (error) {
      isClean = await client.query('rollback').then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      client.release(!isClean);
    }
  }

  return {
    transact: <T>(work: (rows: PostgresRows) => Promise<T>) => turns.run(() => within(BEGIN, work)),
    read: <T>(work: (rows: PostgresRows) => Promise<T>) => within(BEGIN_READING, work),
    snapshot: <T>(work: (rows: PostgresRows) => Promise<T>): Promise<T> => within(BEGIN_SNAPSHOT, work),
    close: () => turns.run(() => connections.end()),
  };
}

/** Rows with a method for statements that are not templates, with a `?` for each value. */
export interface PostgresRows extends Rows {
  query<T>(statement: string, values?: RowValue[]): Promise<T[]>;
}

function createRows(client: pg.PoolClient, now: number): PostgresRows {
  const query = (parts: readonly string[], values: RowValue[]) =>
    client.query(
      parts.reduce((text, part, index) => `${text}$${index}${part}`),
      values,
    );
  return {
    now,
    steady: now,
    get: async <T>(parts: TemplateStringsArray, ...values: RowValue[]) =>
      (await query(parts, values)).rows[0] as T | undefined,
    all: async <T>(parts: TemplateStringsArray, ...values: RowValue[]) => (await query(parts, values)).rows as T[],
    run: async (parts, ...values) => (await query(parts, values)).rowCount ?? 0,
    query: async <T>(statement: string, values: RowValue[] = []) =>
      (await query(statement.split('?'), values)).rows as T[],
  };
}

/** Seals the data key under the first master key. Returns false if it already is. Running key-holders have the data key and go on. */
export async function rotateDatabase(url: string, masterKeys: MasterKeys): Promise<boolean> {
  const opened = openPostgresRows(url, () => {});
  try {
    return await opened.transact(async (rows) => {
      await requireKeyHolder(rows);
      return rewrapVault(rows, masterKeys, 'database');
    });
  } finally {
    await opened.close();
  }
}
