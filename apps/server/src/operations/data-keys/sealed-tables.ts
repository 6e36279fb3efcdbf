// The tables with sealed values or sealed rows, in the order in which they are sealed again.
import type { Schema } from '../../platform/database/schema.ts';
import { TABLE_NAMES, TABLES } from '../../tables.ts';

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
