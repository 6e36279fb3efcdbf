// Seals everything that an earlier data key has sealed once more, with the one that seals now, while others read and write.
//
// Each value is changed by a statement of its own, and only if it is still what was read: whoever writes in between has written with the
// current key, or will be found by the next pass. No row is held for longer than that statement, so nobody waits.
import { type RawBuilder, sql } from 'kysely';
import { Limiter } from '../../platform/async/limiter.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { HEADER_BYTES, type Sealer } from '../../platform/sealing/sealer.ts';
import { TABLES } from '../../tables.ts';
import { hasKey, isUnderRowSeal, renewRowSeals, SEALED_COLUMNS, STATEMENTS_AT_ONCE } from './row-seals.ts';

export interface ResealReport {
  /** Values and seals of rows that were made anew. */
  changed: number;
  /** Values under an earlier key that do not open, and rows whose seal does not hold, by table: damaged or edited. Without that key they never will. */
  unreadable: ReadonlyMap<string, number>;
}

interface ResealOptions {
  database: Database;
  sealer: Sealer;
  onProgress(table: string, changed: number): void;
  /** Stops between two batches. */
  signal: AbortSignal;
}

type Value = string | number | null | Uint8Array;
type StoredRow = Record<string, Value>;

const BATCH = 200;

/** One pass over everything. */
export async function resealAll(options: ResealOptions): Promise<ResealReport> {
  const { database, sealer, onProgress, signal } = options;
  const unreadable = new Map<string, number>();
  let changed = 0;
  for (const { table, columns } of SEALED_COLUMNS) {
    const found = await resealTable(table, columns, options);
    changed += found.changed;
    if (found.unreadable > 0) unreadable.set(table, found.unreadable);
  }
  const rows = await renewRowSeals(database, sealer, {
    signal,
    onProgress,
    // The seal of the row is over this value: both are changed together.
    renewValues(table, row) {
      const columns = Object.keys(TABLES[table].places ?? {}).filter((column) => isUnderRowSeal(table, column));
      const renew = (column: string) => resealed(sealer, row[column] as Uint8Array, placeOf(table, column, row));
      return Object.fromEntries(columns.map((column) => [column, renew(column)]));
    },
  });
  for (const [table, count] of rows.left) unreadable.set(table, (unreadable.get(table) ?? 0) + count);
  return { changed: changed + rows.changed, unreadable };
}

async function resealTable(table: keyof Schema, columns: readonly string[], options: ResealOptions) {
  const { database, sealer, onProgress, signal } = options;
  const found = { changed: 0, unreadable: 0 };
  const { key } = TABLES[table];
  const statements = new Limiter({ maxRunning: STATEMENTS_AT_ONCE });
  let after: Value[] | undefined;
  for (;;) {
    signal.throwIfAborted();
    const rows = await readBatch(database, table, columns, sealer.header(), after);
    const work = rows.flatMap((row) => columns.map((column) => ({ row, column })));
    const renew = async ({ row, column }: (typeof work)[number]) => {
      const value = row[column];
      if (!(value instanceof Uint8Array) || !isEarlier(value, sealer.header())) return;
      let next: Uint8Array;
      try {
        next = resealed(sealer, value, placeOf(table, column, row));
      } catch {
        found.unreadable += 1;
        return;
      }
      const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next}
        where ${hasKey(key, row)} and ${sql.ref(column)} = ${value}`.execute(database.queries);
      found.changed += Number(numAffectedRows ?? 0n);
    };
    await Promise.all(work.map((value) => statements.run(() => renew(value))));
    onProgress(table, found.changed);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return found;
    after = key.map((name) => last[name]!);
  }
}

/** Rows of which a value is under an earlier key, in the order of their key. */
async function readBatch(
  { queries }: Database,
  table: keyof Schema,
  columns: readonly string[],
  header: Buffer,
  after: Value[] | undefined,
): Promise<StoredRow[]> {
  const { key, beside } = TABLES[table];
  const column = (name: string) => sql.ref(`rows.${name}`);
  const keys = sql.join(key.map(column));
  const earlier = columns.map(
    (name) =>
      sql`(length(${column(name)}) >= ${HEADER_BYTES} and substr(${column(name)}, 1, ${HEADER_BYTES}) <> ${header})`,
  );
  const conditions: RawBuilder<unknown>[] = [sql`(${sql.join(earlier, sql` or `)})`];
  if (after) conditions.push(sql`(${keys}) > (${sql.join(after)})`);
  const others = beside
    ? sql`, beside.id as beside_id, beside.customer as beside_customer, beside.world as beside_world`
    : sql``;
  const join = beside ? sql`join ${sql.table(beside.table)} as beside on beside.id = ${column(beside.by)}` : sql``;
  const { rows } = await sql<StoredRow>`select rows.* ${others} from ${sql.table(table)} as rows ${join}
    where ${sql.join(conditions, sql` and `)} order by ${keys} limit ${BATCH}`.execute(queries);
  return rows;
}

function placeOf(table: keyof Schema, column: string, row: StoredRow): string {
  const place = TABLES[table].places![column] as (row: StoredRow, beside: StoredRow) => string;
  return place(row, besideOf(row));
}

function besideOf(row: StoredRow): StoredRow {
  const found = Object.entries(row).filter(([name]) => name.startsWith('beside_'));
  return Object.fromEntries(found.map(([name, value]) => [name.slice('beside_'.length), value]));
}

function isEarlier(value: Uint8Array, header: Buffer): boolean {
  return value.length >= HEADER_BYTES && header.compare(value, 0, HEADER_BYTES) !== 0;
}

function resealed(sealer: Sealer, value: Uint8Array, place: string): Uint8Array {
  if (!isEarlier(value, sealer.header())) return value;
  return sealer.seal(sealer.open(value, place), place);
}
