// Rows that say who a face is and whose it is get a seal as devices and passkeys have one: API keys, galleries, people, and what
// binds an embedding to its person. What is there is taken as it is: before this nothing could tell an edited row.
//
// A later migration that adds a column to one of these tables signs anew those rows whose seal holds, and no others.
import { type RawBuilder, sql } from 'kysely';
import { createRowSeal, type RowSeal, type SealedRow } from '../../sealing/row-seal.ts';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration, OpenSealer } from './migration.ts';

export const sealedPeople: Migration = { name: '0012-sealed-people', up };

/** Rows signed by one statement; of each two parameters or three, and SQLite takes 32,766. */
const BATCH = 1_000;

type Row = Record<string, string | number | Uint8Array | null> & SealedRow;

async function up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void> {
  const { bytes } = columnTypes(engine);
  const empty = engine === 'sqlite' ? sql`x''` : sql`''`;
  for (const table of ['api_keys', 'galleries', 'people', 'embeddings']) {
    await trx.schema
      .alterTable(table)
      .addColumn('mac', bytes, (column) => column.notNull().defaultTo(empty))
      .execute();
  }
  for (const table of ['api_keys', 'galleries', 'people']) {
    const pageAfter = (last: Row | undefined) => sql<Row>`
      select * from ${sql.table(table)} where id > ${last?.['id'] ?? ''} order by id limit ${BATCH}`;
    await signRows(trx, engine, table, ['id'], pageAfter, openSealer);
  }
  // Their vectors are bound to the id already, and are the most of a gallery: they are not read.
  const pageAfter = (last: Row | undefined) => sql<Row>`
    select gallery_id, seq, id, person_id, mac from embeddings
    where (gallery_id, seq) > (${last?.['gallery_id'] ?? ''}, ${last?.['seq'] ?? 0})
    order by gallery_id, seq limit ${BATCH}`;
  await signRows(trx, engine, 'embeddings', ['gallery_id', 'seq'], pageAfter, openSealer);
}

async function signRows(
  trx: Transaction,
  engine: Engine,
  table: string,
  key: readonly string[],
  pageAfter: (last: Row | undefined) => RawBuilder<Row>,
  openSealer: OpenSealer,
): Promise<void> {
  let seal: RowSeal<Row> | undefined;
  for (let last: Row | undefined; ; ) {
    const { rows } = await pageAfter(last).execute(trx);
    last = rows.at(-1);
    if (!last) return;
    seal ??= createRowSeal<Row>(await openSealer(), table);
    const signed = rows.map((row) => seal!.sign(row) as Row);
    await writeSeals(trx, engine, table, key, signed);
  }
}

/** One statement for all of them; both engines call the columns of `values` column1 and so on. */
async function writeSeals(
  trx: Transaction,
  engine: Engine,
  table: string,
  key: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const typed = (value: Row[string]) => {
    if (engine === 'sqlite') return sql`${value}`;
    if (typeof value === 'number') return sql`${value}::bigint`;
    return value instanceof Uint8Array ? sql`${value}::bytea` : sql`${value}::text`;
  };
  const values = rows.map((row) => sql`(${sql.join([...key.map((name) => row[name]!), row.mac].map(typed))})`);
  const isSame = key.map((name, at) => sql`${sql.ref(`${table}.${name}`)} = given.${sql.id(`column${at + 1}`)}`);
  await sql`update ${sql.table(table)} set mac = given.${sql.id(`column${key.length + 1}`)}
    from (values ${sql.join(values)}) as given where ${sql.join(isSame, sql` and `)}`.execute(trx);
}
