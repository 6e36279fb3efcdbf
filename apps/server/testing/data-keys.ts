// Helpers for tests of data key rotation: processes on one database, and values under given keys.
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { type RotationOptions, rotateDataKeys } from '../src/operations/data-keys/rotate.ts';
import { SEALED_COLUMNS } from '../src/operations/data-keys/row-seals.ts';
import { type Clock, systemClock } from '../src/platform/base/clock.ts';
import { createIds } from '../src/platform/base/ids.ts';
import type { Database } from '../src/platform/database/database.ts';
import { openStorage, type Storage } from '../src/platform/storage.ts';
import { tables } from '../src/platform/tables.ts';
import type { TestDatabase } from './database/test-database.ts';

/** Opens the database as another process. */
export async function openRotationProcess(
  place: TestDatabase,
  { clock = systemClock, onOutgrown }: { clock?: Clock; onOutgrown?: (error: Error) => void } = {},
): Promise<Storage> {
  const storage = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock), onOutgrown });
  onTestFinished(() => storage.database.close());
  return storage;
}

/** Rotates without long waits. */
export const rotate = (storage: Storage, given: Partial<RotationOptions> = {}) =>
  rotateDataKeys({
    ...storage,
    onStep: () => {},
    signal: new AbortController().signal,
    quietMs: 0,
    pollMs: 5,
    ...given,
  });

export const dataKeysOf = ({ queries }: Database) =>
  queries.selectFrom('data_keys').select(['id', 'purpose']).orderBy('id').execute();

/** Counts the values of each sealed column that begin with this header, and the others. */
export async function countHeaders({ queries }: Database, header: Buffer) {
  const [under, other]: [string[], string[]] = [[], []];
  for (const name of EVERY_COLUMN) {
    const [table, column] = name.split('.') as [string, string];
    const { rows } = await sql<{ header: Uint8Array }>`select substr(${sql.ref(column)}, 1, 17) as header
      from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(queries);
    if (rows.some((row) => header.equals(row.header))) under.push(name);
    if (rows.some((row) => !header.equals(row.header))) other.push(name);
  }
  return { under: under.sort(), other };
}

export const EVERY_COLUMN = [
  ...SEALED_COLUMNS.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)),
  'api_keys.sealed_key',
].sort();

/** Adds values as payloads of jobs that never run. */
export async function addValues({ database, sealer }: Storage, count: number, name: string): Promise<void> {
  const state = { state: 'dead' as const, attempts: 0, run_at: 0, created_at: 0 };
  const nothing = { lease_token: null, lease_until: null, unique_key: null, last_error: null };
  const rows = Array.from({ length: count }, (_, at) => {
    const id = `${name}-${at}`;
    return { id, kind: 'test', payload: sealer.sealJson(id, tables.jobs.places.payload({ id })), ...state, ...nothing };
  });
  await database.queries.insertInto('jobs').values(rows).execute();
}

/** Returns the ids of values that do not open. */
export async function findUnreadable({ sealer }: Storage, { queries }: Database): Promise<string[]> {
  const rows = await queries.selectFrom('jobs').select(['id', 'payload']).where('kind', '=', 'test').execute();
  const opens = (row: (typeof rows)[number]) => {
    try {
      return sealer.openJson(row.payload, tables.jobs.places.payload({ id: row.id })) === row.id;
    } catch {
      return false;
    }
  };
  return rows.filter((row) => !opens(row)).map(({ id }) => id);
}
