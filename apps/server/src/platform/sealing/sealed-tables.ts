// The tables whose rows are sealed as a whole, for the doctor, which looks for edited rows, and for the change of data keys.
import { sql } from 'kysely';
import { Limiter } from '../async/limiter.ts';
import type { Database, Queries } from '../database/database.ts';
import { createRowSeal, type SealedRow } from './row-seal.ts';
import type { RowSealer } from './sealer.ts';

type SealedTable = keyof typeof SEALED_TABLES;
type Columns = Record<string, string | number | Uint8Array | null>;
type Row = Columns & SealedRow;
type Key = (string | number)[];

const BY_ID = { key: ['id'] };
/** Each has an index over its key: rows are read in its order, named by it and changed by it. */
const SEALED_TABLES = {
  api_keys: BY_ID,
  api_key_traits: { key: ['key_id'] },
  galleries: BY_ID,
  people: BY_ID,
  person_devices: BY_ID,
  passkeys: { key: ['credential_id'] },
  operators: BY_ID,
  operator_passkeys: { key: ['credential_id'] },
  operator_invites: BY_ID,
  operator_identities: BY_ID,
  // The most there are, so the last. Their vectors are bound to the id by themselves.
  embeddings: { key: ['gallery_id', 'seq'], columns: ['gallery_id', 'seq', 'id', 'person_id', 'mac'] },
} satisfies Record<string, TableParts>;

interface TableParts {
  /** Text, then whole numbers. */
  key: readonly string[];
  /** Columns under the seal, if not all. */
  columns?: string[];
}

export const SEALED_TABLE_NAMES = Object.keys(SEALED_TABLES) as SealedTable[];

/** Whose rows are bound to all of their columns: the release before this one would find none whole that has a column more. */
export const TABLES_OF_FIXED_COLUMNS: readonly string[] = [...SEALED_TABLE_NAMES, 'review_cases'];

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
  for (const table of SEALED_TABLE_NAMES) {
    const { key } = SEALED_TABLES[table];
    const seal = createRowSeal<Row>(sealer, table);
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
  /** Sealed values among the columns, which are sealed anew with the row. */
  renewValues: Partial<Record<SealedTable, (row: Row) => Columns>>;
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
  for (const table of SEALED_TABLE_NAMES) {
    const seal = createRowSeal<Row>(sealer, table);
    const { key } = SEALED_TABLES[table];
    let ofTable = 0;
    for await (const rows of batchesOf(queries, table)) {
      signal.throwIfAborted();
      const renewRow = async (row: Row) => {
        const isCurrent = Buffer.compare(seal.sign(row).mac, row.mac) === 0;
        if (isCurrent) return;
        const values = seal.holds(row) ? renewOrLeave(row, renewValues[table]) : undefined;
        if (!values) {
          left.set(table, (left.get(table) ?? 0) + 1);
          return;
        }
        const { mac } = seal.sign({ ...row, ...values });
        const set = Object.entries({ ...values, mac }).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
        const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.join(set)}
          where ${hasKey(key, keyOf(key, row))} and mac = ${row.mac}`.execute(queries);
        ofTable += Number(numAffectedRows ?? 0n);
      };
      await Promise.all(rows.map((row) => statements.run(() => renewRow(row))));
      onProgress(table, ofTable);
    }
    changed += ofTable;
  }
  return { changed, left };
}

function renewOrLeave(row: Row, renew: (row: Row) => Columns = () => ({})): Columns | undefined {
  try {
    return renew(row);
  } catch {
    return undefined;
  }
}

async function* batchesOf(queries: Queries, table: SealedTable): AsyncGenerator<Row[]> {
  const { key } = SEALED_TABLES[table];
  const keyColumns = sql.join(key.map((column) => sql.ref(column)));
  for (let after: Key = ['', 0].slice(0, key.length); ; ) {
    const { rows } = await sql<Row>`select ${selection(table)} from ${sql.table(table)}
      where (${keyColumns}) > (${sql.join(after)}) order by ${keyColumns} limit ${BATCH}`.execute(queries);
    yield rows;
    if (rows.length < BATCH) return;
    after = keyOf(key, rows.at(-1)!);
  }
}

function keyOf(key: readonly string[], row: Row): Key {
  return key.map((column) => row[column] as string | number);
}

function hasKey(key: readonly string[], values: Key) {
  const parts = key.map((column, at) => sql<boolean>`${sql.ref(column)} = ${values[at]}`);
  return sql.join(parts, sql` and `);
}

function selection(table: SealedTable) {
  const { columns }: TableParts = SEALED_TABLES[table];
  return columns ? sql.join(columns.map((column) => sql.ref(column))) : sql`*`;
}
