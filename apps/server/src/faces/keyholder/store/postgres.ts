// The key-holder's state in a PostgreSQL database of its own, which several key-holders share: what one counts holds for all.
import type pg from 'pg';
import { Limiter } from '../../../platform/async/limiter.ts';
import { DatabaseFailure, lacksRight } from '../../../platform/base/database-failures.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { type ConnectionOptions, openConnections } from '../../../platform/database/postgres-connections.ts';
import type { KeyHolderStore, Rows, RowValue } from './store.ts';
import { keptTables, LINE_TABLE, POSTGRES, volatileTables } from './tables.ts';
import { type MasterKeys, openVault } from './vault.ts';

/** Any fixed number; every key-holder on one database uses the same. */
const ADVISORY_LOCK = 0x6b_68_17;
/** A key-holder that lost its network within its turn keeps the others waiting for so long: less than they wait for the lock. */
const IDLE_TURN_MS = 5_000;
/** With the lock, so that the time is that of the turn and not of the waiting. In one message: each would be a journey. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_TURN_MS}; select pg_advisory_xact_lock(${ADVISORY_LOCK}); ${selectTime()}`;
const BEGIN_READING = `begin read only; ${selectTime()}`;
/** It keeps nobody waiting, and what is read goes to a disk that may be slow. */
const BEGIN_SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0; ${selectTime()}`;

export interface PostgresStoreOptions {
  url: string;
  masterKeys: MasterKeys;
  /** Hears of connections that broke. */
  onBroken: (error: Error) => void;
  /** For tests: in place of the database's clock. */
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
    // What is deleted stays, sealed, in the server's files until it is vacuumed, and in its log: docs/keyholder.md.
    return { sealer, ...opened, eraseFreed: async () => {} };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

const STATEMENTS = `${keptTables(POSTGRES)}${LINE_TABLE}${volatileTables(POSTGRES)}`.split(';').flatMap((statement) => {
  const name = / if not exists (\w+)/.exec(statement)?.[1];
  return name === undefined ? [] : [{ name, statement }];
});

/**
 * Creates the tables and indexes that are missing, and returns their names. The database is asked first: an account that may not create
 * tables is refused even if they are there. Throws StartError if the database belongs to a service, or the account lacks a right.
 */
export async function createTables(rows: Rows): Promise<string[]> {
  if (await rows.get("select 1 where to_regclass('schema_migrations') is not null")) {
    throw new StartError(
      'KEYHOLDER_DATABASE_URL names the service’s own database: whoever got a copy of it would have tokens and keys. Give the key-holder a database of its own.',
    );
  }
  const missing = await rows.all<{ name: string }>(
    'select name from json_array_elements_text(?::json) as name where to_regclass(name) is null',
    JSON.stringify(STATEMENTS.map(({ name }) => name)),
  );
  const names = new Set(missing.map(({ name }) => name));
  try {
    for (const { name, statement } of STATEMENTS) if (names.has(name)) await rows.run(statement);
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

/** Throws StartError for a database without one. */
export async function requireKeyHolder(rows: Rows): Promise<void> {
  if (!(await rows.get("select 1 where to_regclass('vault') is not null"))) {
    throw new StartError('There is no key-holder in the database of KEYHOLDER_DATABASE_URL.');
  }
}

export function openPostgresRows(
  url: string,
  onBroken: (error: Error) => void,
  { now, refusesReadOnly }: Pick<PostgresStoreOptions, 'now'> & Pick<ConnectionOptions, 'refusesReadOnly'> = {},
) {
  const connections = openConnections(url, { onBroken, refusesReadOnly });
  /** Of this process one at a time, as all processes together take turns at the lock: so few connections wait there. */
  const turns = new Limiter({ maxRunning: 1 });

  async function within<T>(begin: string, work: (rows: Rows) => Promise<T>): Promise<T> {
    const client = await connections.connect();
    let isClean = false;
    try {
      const told = (await client.query(begin)) as unknown as pg.QueryResult<{ now: number }>[];
      const result = await work(rowsOf(client, now?.() ?? told.at(-1)!.rows[0]!.now));
      const { command } = await client.query('commit');
      // Of a transaction in which a statement failed, PostgreSQL makes a rollback.
      if (command !== 'COMMIT') throw new DatabaseFailure('lost', 'the transaction was not committed');
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
    transact: <T>(work: (rows: Rows) => Promise<T>) => turns.run(() => within(BEGIN, work)),
    read: <T>(work: (rows: Rows) => Promise<T>) => within(BEGIN_READING, work),
    /** All of it sees the rows as they are at one moment. */
    snapshot: <T>(work: (rows: Rows) => Promise<T>): Promise<T> => within(BEGIN_SNAPSHOT, work),
    close: () => turns.run(() => connections.end()),
  };
}

function rowsOf(client: pg.PoolClient, now: number): Rows {
  const query = (text: string, values: RowValue[]) => client.query(numbered(text), values);
  return {
    now,
    steady: now,
    get: async <T>(text: string, ...values: RowValue[]) => (await query(text, values)).rows[0] as T | undefined,
    all: async <T>(text: string, ...values: RowValue[]) => (await query(text, values)).rows as T[],
    run: async (text, ...values) => (await query(text, values)).rowCount ?? 0,
  };
}

/** `?` as `$1`, `$2`. */
function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => `$${++count}`);
}

function selectTime(): string {
  return 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now';
}
