// Whole-row seals: the doctor looks for edited rows, and new data keys seal all rows again.
import { sql } from 'kysely';
import { Limiter } from '../../platform/async/limiter.ts';
import type { Database, Queries } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type SealedRow } from '../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../platform/sealing/sealer.ts';
import { TABLE_NAMES, TABLES } from '../../tables.ts';

type SealedTable = keyof Schema;
type ColumnValues = Record<string, string | number | Uint8Array | null>;
type WholeRow = ColumnValues & SealedRow;
type Key = (string | number)[];

const BATCH = 1_000;
/** Where many rows are changed, each by itself. SQLite commits those together; PostgreSQL's connections take turns. */
export const STATEMENTS_AT_ONCE = 16;

interface Search {
  /** Number of compared rows. */
  looked: number;
  /** The id is the values of the row's key, with a slash between two. */
  edited: { table: SealedTable; id: string }[];
  /** False if `goesOn` ended the search. */
  isWhole: boolean;
}

/** Compares rows with their seals until there are no more, or `goesOn` returns false. Asks it after each thousand. */
export async function findEditedRows(queries: Queries, sealer: RowSealer, goesOn = () => true): Promise<Search> {
  const found: Search = { looked: 0, edited: [], isWhole: true };
  for (const table of SEALED_ROWS) {
    const { key } = TABLES[table];
    const seal = createRowSeal<WholeRow>(sealer, table);
    for await (const rows of batchesOf(queries, table)) {
      found.looked += rows.length;
      for (const row of rows) if (!seal.holds(row)) found.edited.push({ table, id: keyOf(key, row).join('/') });
      if (!goesOn()) return { ...found, isWhole: false };
    }
  }
  return found;
}

interface RenewalOptions {
  onProgress(table: SealedTable, changed: number): void;
  /** Stops between two batches. */
  signal: AbortSignal;
  /** Returns the sealed values under the row seal, sealed again. */
  renewValues(table: SealedTable, row: WholeRow): ColumnValues;
}

export interface Renewal {
  /** How many were sealed anew. */
  changed: number;
  /** Rows that were edited, and such that have a value which does not open, by table. They are left as they are. */
  left: Map<SealedTable, number>;
}

/** Seals rows anew that an earlier key has sealed, each in a statement that changes it only if it is still what was read. */
export async function renewRowSeals(
  { queries }: Pick<Database, 'queries'>,
  sealer: RowSealer,
  { onProgress, signal, renewValues }: RenewalOptions,
): Promise<Renewal> {
  const left: Renewal['left'] = new Map();
  const statements = new Limiter({ maxRunning: STATEMENTS_AT_ONCE });
  let changed = 0;
  for (const table of SEALED_ROWS) {
    const seal = createRowSeal<WholeRow>(sealer, table);
    const { key } = TABLES[table];
    let ofTable = 0;
    for await (const rows of batchesOf(queries, table)) {
      signal.throwIfAborted();
      const renewRow = async (row: WholeRow) => {
        const isCurrent = Buffer.compare(seal.sign(row).mac, row.mac) === 0;
        if (isCurrent) return;
        const values = seal.holds(row) ? orUndefined(() => renewValues(table, row)) : undefined;
        if (!values) {
          left.set(table, (left.get(table) ?? 0) + 1);
          return;
        }
        const { mac } = seal.sign({ ...row, ...values });
        const set = Object.entries({ ...values, mac }).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
        const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.join(set)}
          where ${hasKey(key, row)} and mac = ${row.mac}`.execute(queries);
        ofTable += Number(numAffectedRows ?? 0n);
      };
      await Promise.all(rows.map((row) => statements.run(() => renewRow(row))));
      onProgress(table, ofTable);
    }
    changed += ofTable;
  }
  return { changed, left };
}

function orUndefined(renew: () => ColumnValues): ColumnValues | undefined {
  try {
    return renew();
  } catch {
    return undefined;
  }
}

async function* batchesOf(queries: Queries, table: SealedTable): AsyncGenerator<WholeRow[]> {
  const { key } = TABLES[table];
  const keyColumns = sql.join(key.map((column) => sql.ref(column)));
  for (let after: Key = ['', 0].slice(0, key.length); ; ) {
    const { rows } = await sql<WholeRow>`select ${selection(table)} from ${sql.table(table)}
      where (${keyColumns}) > (${sql.join(after)}) order by ${keyColumns} limit ${BATCH}`.execute(queries);
    yield rows;
    if (rows.length < BATCH) return;
    after = keyOf(key, rows.at(-1)!);
  }
}

function keyOf(key: readonly string[], row: WholeRow): Key {
  return key.map((column) => row[column] as string | number);
}

/** Condition that finds the row by its key. */
export function hasKey(key: readonly string[], row: ColumnValues) {
  const parts = key.map((column) => sql<boolean>`${sql.ref(column)} = ${row[column]}`);
  return sql.join(parts, sql` and `);
}

function selection(table: SealedTable) {
  const columns = Object.keys(TABLES[table].columns);
  const sealed = columns.filter((column) => column === 'mac' || isUnderRowSeal(table, column));
  return sql.join(sealed.map((column) => sql.ref(column)));
}

/** Tables with the most rows come last. */
const LARGEST: readonly (keyof Schema)[] = ['webhook_deliveries', 'sessions', 'tokens', 'token_blocks', 'embeddings'];
const ORDER = [...TABLE_NAMES.filter((table) => !LARGEST.includes(table)), ...LARGEST];

/** Tables whose rows are sealed as a whole. */
export const SEALED_ROWS = ORDER.filter((table) => TABLES[table].columns['mac'] !== undefined);

/** Columns that are sealed by themselves. A sealed value under a row seal changes together with its row. */
export const SEALED_COLUMNS = ORDER.map((table) => ({
  table,
  columns: Object.keys(TABLES[table].places ?? {}).filter((column) => !isUnderRowSeal(table, column)),
})).filter(({ columns }) => columns.length > 0);

export function isUnderRowSeal(table: keyof Schema, column: string): boolean {
  const seal = TABLES[table].columns['mac'];
  return seal !== undefined && !seal.except?.includes(column);
}
