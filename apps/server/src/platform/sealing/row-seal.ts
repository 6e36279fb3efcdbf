// A seal over a whole row, for rows whose columns are read by queries and so cannot be encrypted: an HMAC of every column. A row
// that was edited, or put together from others, does not hold. An older copy of the very same row does: see docs/security.md.
import type { ColumnValue } from '../database/table.ts';
import { findTextProblem } from '../text/storable.ts';
import { countEditedRow } from './edited-rows.ts';
import type { RowSealer } from './sealer.ts';

export interface SealedRow {
  /** Over all other columns. */
  mac: Uint8Array;
}

/** Where it is told that a row was edited; a logger is one. */
export interface SealLog {
  error(fields: { table: string; row: string }, message: string): void;
}

export interface RowSeal<Row extends SealedRow> {
  /** The row with its seal, to be written as it is. Throws where a text is not one that databases keep. */
  sign(row: Omit<Row, 'mac'>): Row;
  holds(row: Row): boolean;
  /** The row, unless it was edited: then it is as good as not there, and the log names it once. */
  ifWhole(row: Row | undefined): Row | undefined;
  /**
   * A change of the row by somebody who compares by its seal, which new data keys replace: tried again where the row is
   * otherwise as it was read. False where it is not.
   */
  changeAsRead(
    row: Row,
    change: (row: Row) => Promise<boolean>,
    reread: () => Promise<Row | undefined>,
  ): Promise<boolean>;
}

interface RowSealOptions<Row> {
  log: SealLog;
  /** The row's id. */
  nameOf: (row: Row) => string;
  /** For tables of few rows that are read again and again: a row that is as it was when it held is not digested anew. */
  remembers?: boolean;
}

/** Rows named in the log; after so many nobody needs another. */
const MAX_NAMED = 1_000;
/** Of half a kilobyte each. */
const MAX_REMEMBERED = 10_000;

/** Rows are read whole (`selectAll`): a column that a query leaves out would break the seal. */
export function createRowSeal<Row extends SealedRow>(
  sealer: RowSealer,
  table: string,
  options?: RowSealOptions<Row>,
): RowSeal<Row> {
  const canonical = createCanonical();
  const textOfRow = (row: object) => canonical(row as Record<string, ColumnValue>);
  const named = new Set<string>();
  const remembered = new Map<string, Row>();

  function tell(row: Row): void {
    const name = options?.nameOf(row);
    if (name === undefined || named.has(name) || named.size >= MAX_NAMED) return;
    named.add(name);
    countEditedRow(table);
    options?.log.error({ table, row: name }, 'a row was edited in the database and counts as absent');
  }

  const seal: RowSeal<Row> = {
    async changeAsRead(row, change, reread) {
      if (await change(row)) return true;
      const now = await reread();
      const isResealed = now !== undefined && isSameRow({ ...row, mac: now.mac }, now) && seal.holds(now);
      return isResealed && change(now);
    },
    sign(row) {
      refuseUnstorable(table, row);
      return { ...row, mac: sealer.digestRow(table, textOfRow(row)) } as unknown as Row;
    },
    holds: (row) => sealer.isDigestOfRow(table, textOfRow(row), row.mac),
    ifWhole(row) {
      if (row === undefined) return undefined;
      const name = options?.remembers ? options.nameOf(row) : undefined;
      const before = name === undefined ? undefined : remembered.get(name);
      if (before && isSameRow(before, row)) return row;
      if (!seal.holds(row)) {
        tell(row);
        return undefined;
      }
      if (name === undefined) return row;
      if (!before && remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(name, row);
      return row;
    },
  };
  return seal;
}

/** Text that a database gives back as another one would never hold again. */
function refuseUnstorable(table: string, row: object): void {
  for (const [name, value] of Object.entries(row)) {
    const problem = typeof value === 'string' ? findTextProblem(value) : undefined;
    if (problem !== undefined) throw new Error(`${table}.${name} ${problem}`);
  }
}

/** In every column, the seal among them. */
function isSameRow(one: object, other: object): boolean {
  const [left, right] = [one as Record<string, ColumnValue>, other as Record<string, ColumnValue>];
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const [a, b] = [left[name], right[name]];
    return a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0);
  });
}

/**
 * The columns but the seal, by name: `[["created_at",1],["id","…"]]`. Written piece by piece, with the names sorted once for rows of
 * one shape: API keys and faces are looked up for every request.
 */
function createCanonical(): (row: Record<string, ColumnValue>) => string {
  let shape: string[] = [];
  let columns: { name: string; opening: string }[] = [];
  return (row) => {
    const names = Object.keys(row);
    if (names.length !== shape.length || names.some((name, at) => name !== shape[at])) {
      shape = names;
      const sorted = names.filter((name) => name !== 'mac').sort();
      columns = sorted.map((name) => ({ name, opening: `[${JSON.stringify(name)},` }));
    }
    let text = '[';
    for (const { name, opening } of columns) text += `${text === '[' ? '' : ','}${opening}${textOf(row[name]!)}]`;
    return `${text}]`;
  };
}

function textOf(value: ColumnValue): string {
  if (!(value instanceof Uint8Array)) return JSON.stringify(value);
  return `{"base64":"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"}`;
}
