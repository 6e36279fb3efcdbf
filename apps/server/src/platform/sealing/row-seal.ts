// A seal over a whole row, for rows whose columns are read by queries and so cannot be encrypted: an HMAC of every column. A row
// that was edited, or put together from others, does not hold. An older copy of the very same row does: see docs/security.md.
import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from './sealer.ts';

type Value = string | number | null | Uint8Array;

export interface SealedRow {
  /** Over all other columns. */
  mac: Uint8Array;
}

export interface RowSeal<Row extends SealedRow> {
  /** The row with its seal, to be written as it is. */
  sign(row: Omit<Row, 'mac'>): Row;
  holds(row: Row): boolean;
}

/** Rows are read whole (`selectAll`): a column that a query leaves out would break the seal. */
export function createRowSeal<Row extends SealedRow>(sealer: Pick<Sealer, 'digest'>, table: string): RowSeal<Row> {
  const digest = ({ mac: _, ...columns }: Record<string, unknown>) =>
    sealer.digest(`rows/${table}`, canonical(columns as Record<string, Value>));
  return {
    sign: (row) => ({ ...row, mac: digest(row) }) as unknown as Row,
    holds(row) {
      const expected = digest(row as unknown as Record<string, unknown>);
      return row.mac.length === expected.length && timingSafeEqual(row.mac, expected);
    },
  };
}

function canonical(columns: Record<string, Value>): string {
  const names = Object.keys(columns).sort();
  return JSON.stringify(names.map((name) => [name, plain(columns[name]!)]));
}

function plain(value: Value): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
}
