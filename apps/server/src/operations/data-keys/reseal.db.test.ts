// A rotation of data keys reads each row a constant number of times, because every statement uses
// an index.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { type CompiledQuery, sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openRotationProcess, rotate } from '#testing/data-keys.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { NO_LOG, OWNER } from '#testing/edited-rows/places.ts';
import { createPeopleStore } from '../../faces/galleries/store/people.ts';
import { systemClock } from '../../platform/base/clock.ts';
import { createIds } from '../../platform/base/ids.ts';
import type { Queries } from '../../platform/database/database.ts';
import { addDataKeys, useNextDataKeys } from '../../platform/sealing/keyring.ts';
import { TABLES } from '../../tables.ts';
import { resealAll } from './reseal.ts';
import { SEALED_COLUMNS, SEALED_ROWS } from './row-seals.ts';

const EMBEDDINGS = onlyWhenLong(10_000, 600);
/** One pass lists and changes, the next finds nothing; both for vectors and for row seals. */
const MAX_READS_PER_ROW = 8;

async function openWithEmbeddings(count: number) {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const storage = await openRotationProcess(place);
  const { database, sealer } = storage;
  const personId = await insertPerson({ database, sealer, ids: createIds(systemClock) }, OWNER);
  const [{ id: galleryId }] = (await database.queries.selectFrom('galleries').select('id').execute()) as [
    { id: string },
  ];
  const store = createPeopleStore(database, sealer, NO_LOG);
  const faces = Array.from({ length: count }, (_, seq) => ({ seq, id: `e${seq}`, sealed: Buffer.of(1) }));
  await database.transact((trx) => store.insertEmbeddings(trx, galleryId, personId, faces));
  return { place, storage };
}

it.runIf(engine === 'postgres')('reads each embedding a constant number of times', async () => {
  const { place, storage } = await openWithEmbeddings(EMBEDDINGS);
  const before = await countReads(storage.database.queries);
  expect(await rotate(storage)).toMatchObject({ isDestroyed: true });
  // A connection reports its reads when it closes.
  await storage.database.close();
  const { queries } = (await openRotationProcess(place)).database;
  await expect.poll(() => countConnections(queries)).toBe(1);
  const reads = (await countReads(queries)) - before;
  expect(reads).toBeGreaterThanOrEqual(2 * EMBEDDINGS);
  expect(reads).toBeLessThanOrEqual(MAX_READS_PER_ROW * EMBEDDINGS);
});

it('uses an index in each statement, for every table', async () => {
  const { storage } = await openWithEmbeddings(3);
  const { queries } = storage.database;
  await addDataKeys(storage.keyring);
  await useNextDataKeys(storage.keyring);
  await storage.keys.refresh();
  const executed = vi.spyOn(queries.getExecutor(), 'executeQuery');
  await resealAll({ ...storage, onProgress: () => {}, signal: new AbortController().signal });
  const statements = executed.mock.calls.map(([query]) => query);
  executed.mockRestore();
  const texts = statements.map(({ sql: text }) => text).join('\n');
  for (const table of [...SEALED_COLUMNS.map((sealed) => sealed.table), ...SEALED_ROWS])
    expect(texts).toContain(`from "${table}"`);
  expect(texts).toContain('update "embeddings"');
  // Empty tables are only listed here. Their updates also go by primary key.
  const changes = SEALED_COLUMNS.map(({ table }) => {
    const parts = TABLES[table].key.map((column) => sql`${sql.ref(column)} = ${'0'}`);
    return sql`select 1 from ${sql.table(table)} where ${sql.join(parts, sql` and `)}`.compile(queries);
  });
  for (const statement of [...statements, ...changes]) {
    const plan = await explain(queries, statement);
    expect(plan.filter(readsWithoutIndex), `${statement.sql}\n${plan.join('\n')}`).toEqual([]);
  }
});

async function explain(queries: Queries, statement: CompiledQuery): Promise<string[]> {
  const command = engine === 'postgres' ? 'explain (costs off)' : 'explain query plan';
  return queries.transaction().execute(async (trx) => {
    // PostgreSQL scans small tables unless that is disabled, and still does if no index fits.
    if (engine === 'postgres')
      for (const way of ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'])
        await sql.raw(`set local enable_${way} = off`).execute(trx);
    const { rows } = await trx.executeQuery<Record<string, string>>({
      ...statement,
      sql: `${command} ${statement.sql}`,
    });
    return rows.map((row) => (row['QUERY PLAN'] ?? row['detail'])!.trim());
  });
}

/**
 * Returns whether a step of the plan scans or sorts a whole table. SQLite scans in rowid order
 * without an index.
 */
function readsWithoutIndex(step: string): boolean {
  return (
    /^(->\s*)?(Seq Scan|Sort)|TEMP B-TREE/.test(step) ||
    (/^SCAN/.test(step) && !/^SCAN rows$|USING (COVERING )?INDEX/.test(step))
  );
}

async function countReads(queries: Queries): Promise<number> {
  const { rows } = await sql<{ reads: string }>`select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as reads
    from pg_stat_user_tables where relname = 'embeddings'`.execute(queries);
  return Number(rows[0]!.reads);
}

async function countConnections(queries: Queries): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) as count from pg_stat_activity
    where datname = current_database()`.execute(queries);
  return Number(rows[0]!.count);
}
