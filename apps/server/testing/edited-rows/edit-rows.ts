// Attacks by someone with write access to the database: every column of two rows is edited or
// copied. New columns must be considered here first.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { PersonId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';

type Table =
  | 'person_devices'
  | 'passkeys'
  | 'tokens'
  | 'sessions'
  | 'people'
  | 'galleries'
  | 'embeddings'
  | 'api_keys'
  | 'webhook_deliveries'
  | 'wallet_links';
export type Row = Record<string, unknown>;

/**
 * Every column of these tables. A missing column has not been considered; see the top of the file.
 */
const COLUMNS: Record<Table, string[]> = {
  person_devices: [
    ...['id', 'customer', 'world', 'person_id', 'public_key', 'local_uses', 'vouched', 'provisional_session'],
    ...['created_at', 'last_used_at', 'mac'],
  ],
  passkeys: [
    ...['credential_id', 'customer', 'world', 'person_id', 'public_key', 'counter', 'transports', 'vouched'],
    ...['created_at', 'last_used_at', 'mac'],
  ],
  wallet_links: ['id', 'session_id', 'expires_at', 'sealed'],
  tokens: ['gallery_id', 'seq', 'id', 'person_id', 'epoch', 'sealed', 'created_at'],
  sessions: [
    ...[
      'id',
      'kind',
      'token_lookup',
      'customer',
      'world',
      'api_key_id',
      'state',
      'created_at',
      'expires_at',
      'ended_at',
    ],
    ...['purge_at', 'sealed', 'outcome', 'person_id', 'end_state'],
  ],
  people: [
    ...['id', 'gallery_id', 'puid', 'identifier_digest', 'enroll_level', 'created_at', 'provisional_session', 'mac'],
  ],
  galleries: [
    ...['id', 'customer', 'world', 'model_version', 'dimensions', 'guid', 'version', 'log_floor', 'people'],
    ...['embeddings', 'tokens', 'token_epoch', 'created_at', 'mac'],
  ],
  embeddings: ['gallery_id', 'seq', 'id', 'person_id', 'sealed', 'mac'],
  api_keys: [
    ...['id', 'lookup', 'sealed_key', 'kind', 'label', 'customer_id', 'api_id', 'usage_plan_id', 'product_code'],
    ...['status', 'client_id', 'client_secret_digest', 'when_created', 'last_updated', 'embed_origins', 'mac'],
  ],
  webhook_deliveries: [
    ...[
      'id',
      'customer',
      'world',
      'api_key_id',
      'session_id',
      'target',
      'state',
      'round',
      'attempts',
      'attempts_before',
    ],
    ...[
      'next_attempt_at',
      'last_attempt_at',
      'last_status',
      'last_error',
      'created_at',
      'ended_at',
      'purge_at',
      'sealed',
      'tries',
    ],
  ],
};
/** Unique columns. The other row is deleted. */
const UNIQUE = ['id', 'credential_id', 'seq', 'token_lookup', 'lookup'];

export async function readRows(database: Database, table: Table): Promise<Row[]> {
  return (await database.queries.selectFrom(table).selectAll().execute()) as unknown as Row[];
}

export async function writeRows(database: Database, table: Table, rows: readonly Row[]): Promise<void> {
  await database.transact(async (trx) => {
    await trx.deleteFrom(table).execute();
    for (const row of rows)
      await trx
        .insertInto(table)
        .values(row as never)
        .execute();
  });
}

/** Returns a different value of the same kind, for columns in which both rows are equal. */
function inventValue(value: unknown, column: string): unknown {
  if (column === 'world') return value === 'live' ? 'test' : 'live';
  if (typeof value === 'number') return value === 0 ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value).reverse();
  return column === 'provisional_session' || value === null ? 'another' : `${value}x`;
}

/** Runs `attempt` after each edit of a column, with the other row's value or an invented one. */
export async function tryEveryEdit(
  database: Database,
  table: Table,
  pick: (rows: Row[]) => [Row, Row],
  attempt: (edit: string, edited: Row) => Promise<void>,
): Promise<void> {
  const before = await readRows(database, table);
  const [victim, thief] = pick(before);
  expect(Object.keys(victim).sort()).toEqual([...COLUMNS[table]].sort());
  for (const column of COLUMNS[table]) {
    for (const [into, from] of [
      [victim, thief],
      [thief, victim],
    ] as const) {
      const isSame = isDeepStrictEqual(into[column], from[column]);
      const edited = { ...into, [column]: isSame ? inventValue(into[column], column) : from[column] };
      const others = before.filter((row) => row !== into && !(UNIQUE.includes(column) && row === from));
      const hasRoom = await writeRows(database, table, [...others, edited]).then(
        () => true,
        () => false, // The database itself rejects it.
      );
      if (hasRoom) await attempt(`${column} of the ${into === victim ? 'victim' : 'thief'}`, edited);
      await writeRows(database, table, before);
    }
  }
}

/**
 * Like `walk`, for rows that others reference: values are swapped in place. Ids stay, because the
 * database enforces them. Finally each row gets everything of the other except the id. `spare` has
 * values for columns that are equal and cannot be invented.
 */
export async function tryEveryEditInPlace(
  database: Database,
  table: 'people' | 'galleries',
  ids: readonly [string, string],
  spare: Row,
  attempt: (edit: string, editedIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const rows = await readRows(database, table);
  const pair = ids.map((id) => rows.find((row) => row['id'] === id)!);
  expect(Object.keys(pair[0]!).sort()).toEqual([...COLUMNS[table]].sort());
  const columns = COLUMNS[table].filter((column) => column !== 'id');
  const set = (id: unknown, values: Row) =>
    database.queries
      .updateTable(table)
      .set(values as never)
      .where('id', '=', id as string)
      .execute();
  // Clears unique columns first.
  const write = async (edited: readonly Row[]) => {
    for (const { id } of pair)
      await set(id, table === 'people' ? { puid: `x${id}` } : { guid: `x${id}`, world: `x${id}` });
    for (const { id, ...values } of edited) await set(id, values);
  };
  for (const column of columns) {
    for (const [at, into] of pair.entries()) {
      const other = pair[1 - at]!;
      const isSame = isDeepStrictEqual(into[column], other[column]);
      const edited = {
        ...into,
        [column]: isSame ? (spare[column] ?? inventValue(into[column], column)) : other[column],
      };
      // The database rejects duplicates here, so the values are swapped.
      const isExchanged = !isSame && ['puid', 'guid', 'customer', 'world'].includes(column);
      const kept = isExchanged ? { ...other, [column]: into[column] } : other;
      await write([edited, kept]);
      const editedIds = isExchanged ? ids : [into['id'] as string];
      await attempt(`${table}.${column} of ${at === 0 ? 'the first' : 'the second'}`, editedIds);
      await write(pair);
    }
  }
  await write([{ ...pair[1], id: ids[0] } as Row, { ...pair[0], id: ids[1] } as Row]);
  await attempt(`everything of ${table} but the id`, ids);
  await write(pair);
}

/** Returns the rows of two people. */
export function pickByPerson(victim: PersonId, thief: PersonId): (rows: Row[]) => [Row, Row] {
  return (rows) => [rows.find((row) => row['person_id'] === victim)!, rows.find((row) => row['person_id'] === thief)!];
}
