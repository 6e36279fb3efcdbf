// Seals whole rows whose columns are read by queries and so cannot be encrypted, with an HMAC over every column. The seal of an edited or
// assembled row does not verify. An older copy of the same row still does (docs/security.md).
import type { ColumnValue } from '../database/table.ts';
import { findTextProblem } from '../text/storable.ts';
import { reportEditedRow, type SealLog } from './edited-rows.ts';
import type { RowSealer } from './sealer.ts';

export interface SealedRow {
  mac: Uint8Array;
}

interface RowSealOptions<Row> {
  log: SealLog;
  nameOf: (row: Row) => string;
  /** Keeps verified rows in memory, for tables of few rows that are read again and again. */
  remembers?: boolean;
}

/** About half a kilobyte each */
const MAX_REMEMBERED = 10_000;

export type RowSeal<Row extends SealedRow> = ReturnType<typeof createRowSeal<Row>>;

/** Rows must be read whole (`selectAll`), because a missing column would break the seal. */
export function createRowSeal<Row extends SealedRow>(sealer: RowSealer, table: string, options?: RowSealOptions<Row>) {
  const canonical = createCanonical();
  const textOfRow = (row: object) => canonical(row as Record<string, ColumnValue>);
  const remembered = new Map<string, Row>();
  const holds = (row: Row) => sealer.isDigestOfRow(table, textOfRow(row), row.mac);

  return {
    /** Returns the row with its seal. Throws if a database would change one of its texts. */
    sign(row: Omit<Row, 'mac'>): Row {
      refuseUnstorable(table, row);
      return { ...row, mac: sealer.digestRow(table, textOfRow(row)) } as unknown as Row;
    },
    holds,
    /** Returns undefined for an edited row, which is treated as missing and logged once. */
    ifWhole(row: Row | undefined): Row | undefined {
      if (row === undefined) return undefined;
      const name = options?.remembers ? options.nameOf(row) : undefined;
      const known = name === undefined ? undefined : remembered.get(name);
      if (known && isSameRow(known, row)) return row;
      if (!holds(row)) {
        if (options) reportEditedRow(options.log, table, options.nameOf(row));
        return undefined;
      }
      if (name !== undefined) {
        if (!known && remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(name, row);
      }
      return row;
    },
    /** Changes a row that is compared by its seal. Retries if only the seal changed, as new data keys do. Returns false otherwise. */
    async changeAsRead(
      row: Row,
      change: (row: Row) => Promise<boolean>,
      reread: () => Promise<Row | undefined>,
    ): Promise<boolean> {
      if (await change(row)) return true;
      const now = await reread();
      const isResealed = now !== undefined && isSameRow({ ...row, mac: now.mac }, now) && holds(now);
      return isResealed && change(now);
    },
  };
}

/** Refuses text that a database would return differently, so that the seal would never verify. */
function refuseUnstorable(table: string, row: object): void {
  for (const [name, value] of Object.entries(row)) {
    const problem = typeof value === 'string' ? findTextProblem(value) : undefined;
    if (problem !== undefined) throw new Error(`${table}.${name} ${problem}`);
  }
}

function isSameRow(left: object, right: object): boolean {
  const [before, now] = [left as Record<string, ColumnValue>, right as Record<string, ColumnValue>];
  const names = Object.keys(before);
  if (names.length !== Object.keys(now).length) return false;
  return names.every((name) => {
    const [a, b] = [before[name], now[name]];
    return a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0);
  });
}

/** Returns a function that writes the columns by name: `[["created_at",1],["id","…"]]`. Names are sorted once, for speed. */
function createCanonical(): (row: Record<string, ColumnValue>) => string {
  let shape = '';
  let sorted: string[] = [];
  return (row) => {
    const names = Object.keys(row);
    if (names.join() !== shape) {
      shape = names.join();
      sorted = names.filter((name) => name !== 'mac').sort();
    }
    return `[${sorted.map((name) => `["${name}",${formatValue(row[name]!)}]`).join()}]`;
  };
}

function formatValue(value: ColumnValue): string {
  if (!(value instanceof Uint8Array)) return JSON.stringify(value);
  return `{"base64":"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"}`;
}
