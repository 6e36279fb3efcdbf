// Seals everything under earlier data keys again with the current one, while other processes read and write.
//
// Each value is changed by its own statement, and only if it is still as it was read. A concurrent writer has used the
// current key, or the next pass finds the value. No lock is held longer than a statement.
import { type RawBuilder, sql } from 'kysely';
import { Limiter } from '../../platform/async/limiter.ts';
import type { Database } from '../../platform/database/database.ts';
import { createRowSeal } from '../../platform/sealing/row-seal.ts';
import { HEADER_BYTES, type Sealer } from '../../platform/sealing/sealer.ts';
import { TABLES } from '../../tables.ts';
import {
  isUnderRowSeal,
  readBatches,
  readWholeRows,
  SEALED_COLUMNS,
  SEALED_ROWS,
  type SealedTable,
  type StoredRow,
  type WholeRow,
} from './row-seals.ts';

interface ResealOptions {
  database: Database;
  sealer: Sealer;
  onProgress(table: string, changed: number): void;
  /** Stops between two batches. */
  signal: AbortSignal;
}

const ROWS_PER_BATCH = 200;
/** SQLite commits concurrent changes together, PostgreSQL uses several connections. */
const STATEMENTS_AT_ONCE = 16;

/** Makes one pass. Counts values that do not open and edited rows by table. */
export async function resealAll({ database: { queries }, sealer, onProgress, signal }: ResealOptions) {
  const statements = new Limiter({ maxRunning: STATEMENTS_AT_ONCE });
  const unreadable = new Map<string, number>();
  let changed = 0;

  /** Changes rows whose `guard` column is still as it was read. Errors of `renew` end the pass. */
  async function renewRows<Row extends StoredRow>(
    table: SealedTable,
    batches: AsyncIterable<Row[]>,
    guards: readonly string[],
    renew: (row: Row, guard: string) => StoredRow | 'unreadable' | undefined,
  ): Promise<void> {
    let changedHere = 0;
    const renewRow = async (row: Row, guard: string) => {
      const next = renew(row, guard);
      if (next === 'unreadable') unreadable.set(table, (unreadable.get(table) ?? 0) + 1);
      if (!next || next === 'unreadable') return;
      const changes = Object.entries(next).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
      const unchanged = [...TABLES[table].key, guard].map((column) => sql`${sql.ref(column)} = ${row[column]}`);
      const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.join(changes)}
        where ${sql.join(unchanged, sql` and `)}`.execute(queries);
      changedHere += Number(numAffectedRows ?? 0n);
    };
    for await (const rows of batches) {
      signal.throwIfAborted();
      const work = rows.flatMap((row) => guards.map((guard) => statements.run(() => renewRow(row, guard))));
      await Promise.all(work);
      onProgress(table, changedHere);
    }
    changed += changedHere;
  }

  for (const { table, columns } of SEALED_COLUMNS) {
    const select = (page: RawBuilder<unknown>) => selectEarlier(table, columns, sealer.header(), page);
    const batches = readBatches(queries, table, ROWS_PER_BATCH, select);
    await renewRows(table, batches, columns, (row, column) => {
      const value = row[column];
      if (!(value instanceof Uint8Array) || !isEarlier(value, sealer)) return undefined;
      return resealRow(sealer, table, [column], row);
    });
  }
  for (const table of SEALED_ROWS) {
    const seal = createRowSeal<WholeRow>(sealer, table);
    const columns = Object.keys(TABLES[table].places ?? {}).filter((column) => isUnderRowSeal(table, column));
    await renewRows(table, readWholeRows(queries, table), ['mac'], (row) => {
      if (Buffer.compare(seal.sign(row).mac, row.mac) === 0) return undefined;
      // The row seal covers these values, so both change together.
      const values = seal.holds(row) ? resealRow(sealer, table, columns, row) : 'unreadable';
      return values === 'unreadable' ? values : { ...values, mac: seal.sign({ ...row, ...values }).mac };
    });
  }
  return { changed, unreadable: unreadable as ReadonlyMap<string, number> };
}

/** Selects rows with a value under an earlier key, and the neighbor that its place needs. */
function selectEarlier(table: SealedTable, columns: readonly string[], header: Buffer, page: RawBuilder<unknown>) {
  const { beside } = TABLES[table];
  const conditions = columns.map((name) => {
    const column = sql.ref(`rows.${name}`);
    return sql`(length(${column}) >= ${HEADER_BYTES} and substr(${column}, 1, ${HEADER_BYTES}) <> ${header})`;
  });
  const more = beside
    ? sql`, beside.id as beside_id, beside.customer as beside_customer, beside.world as beside_world`
    : sql``;
  const join = beside
    ? sql`join ${sql.table(beside.table)} as beside on beside.id = ${sql.ref(`rows.${beside.by}`)}`
    : sql``;
  return sql<StoredRow>`select rows.* ${more} from ${sql.table(table)} as rows ${join}
    where (${sql.join(conditions, sql` or `)}) and ${page}`;
}

function isEarlier(value: Uint8Array, sealer: Sealer): boolean {
  return value.length >= HEADER_BYTES && sealer.header().compare(value, 0, HEADER_BYTES) !== 0;
}

/** Returns these values of a row under the current key. Only what cannot be opened counts as unreadable. */
function resealRow(sealer: Sealer, table: SealedTable, columns: readonly string[], row: StoredRow) {
  try {
    return Object.fromEntries(columns.map((column) => [column, resealValue(sealer, table, column, row)]));
  } catch {
    return 'unreadable';
  }
}

function resealValue(sealer: Sealer, table: SealedTable, column: string, row: StoredRow): Uint8Array {
  const value = row[column] as Uint8Array;
  if (!isEarlier(value, sealer)) return value;
  const beside = Object.entries(row).flatMap(([name, cell]) =>
    name.startsWith('beside_') ? [[name.slice('beside_'.length), cell] as const] : [],
  );
  const placeOf = TABLES[table].places![column] as (row: StoredRow, beside: StoredRow) => string;
  const place = placeOf(row, Object.fromEntries(beside));
  return sealer.seal(sealer.open(value, place), place);
}
