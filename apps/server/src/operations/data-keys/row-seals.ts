// Reads sealed rows of all tables in batches. The doctor looks for edited rows, and new data keys seal all rows again.
import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type SealedRow } from '../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../platform/sealing/sealer.ts';
import { TABLE_NAMES, TABLES } from '../../tables.ts';

export type SealedTable = keyof Schema;
export type StoredRow = Record<string, string | number | Uint8Array | null>;
export type WholeRow = StoredRow & SealedRow;

const ROWS_PER_BATCH = 1_000;

/** Compares rows with their seals. Stops early if `goesOn` returns false after a batch. */
export async function findEditedRows(queries: Queries, sealer: RowSealer, shouldContinue = () => true) {
  const edited: { table: SealedTable; id: string }[] = [];
  let looked = 0;
  for (const table of SEALED_ROWS) {
    const { key } = TABLES[table];
    const seal = createRowSeal<WholeRow>(sealer, table);
    for await (const rows of readWholeRows(queries, table)) {
      looked += rows.length;
      for (const row of rows) {
        if (!seal.holds(row)) edited.push({ table, id: key.map((column) => row[column]).join('/') });
      }
      if (!shouldContinue()) return { looked, edited, isWhole: false };
    }
  }
  return { looked, edited, isWhole: true };
}

export function readWholeRows(queries: Queries, table: SealedTable): AsyncGenerator<WholeRow[]> {
  const columns = Object.keys(TABLES[table].columns);
  const sealed = columns.filter((column) => column === 'mac' || isUnderRowSeal(table, column));
  const selection = sql.join(sealed.map((column) => sql.ref(column)));
  const select = (page: RawBuilder<unknown>) =>
    sql<WholeRow>`select ${selection} from ${sql.table(table)} as rows where ${page}`;
  return readBatches(queries, table, ROWS_PER_BATCH, select);
}

/** Yields batches by key. `select` appends the page to its condition. */
export async function* readBatches<Row extends StoredRow>(
  queries: Queries,
  table: SealedTable,
  size: number,
  select: (page: RawBuilder<unknown>) => RawBuilder<Row>,
): AsyncGenerator<Row[]> {
  const { key } = TABLES[table];
  const order = sql.join(key.map((column) => sql.ref(`rows.${column}`)));
  for (let following: RawBuilder<unknown> = sql`true`; ; ) {
    const { rows } = await select(sql`${following} order by ${order} limit ${size}`).execute(queries);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    following = sql`(${order}) > (${sql.join(key.map((column) => last[column]))})`;
  }
}

/** Tables with the most rows come last. */
const LARGEST: readonly SealedTable[] = ['webhook_deliveries', 'sessions', 'tokens', 'token_blocks', 'embeddings'];
const ORDER = [...TABLE_NAMES.filter((table) => !LARGEST.includes(table)), ...LARGEST];

export const SEALED_ROWS = ORDER.filter((table) => TABLES[table].columns['mac'] !== undefined);

/** Sealed columns that change on their own, unlike those under a row seal */
export const SEALED_COLUMNS = ORDER.map((table) => ({
  table,
  columns: Object.keys(TABLES[table].places ?? {}).filter((column) => !isUnderRowSeal(table, column)),
})).filter(({ columns }) => columns.length > 0);

export function isUnderRowSeal(table: SealedTable, column: string): boolean {
  const seal = TABLES[table].columns['mac'];
  return seal !== undefined && !seal.except?.includes(column);
}
