// A database as an earlier version left it, for the tests of the migrations that come after.
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { migrations } from '../../src/platform/database/migrations/index.ts';
import { TEST_SEALER } from '../test-sealer.ts';
import { createTestDatabase } from './test-database.ts';

/** With all migrations whose name comes before `number`, and nothing in it. */
export async function openEarlierDatabase(number: string): Promise<Database> {
  const place = await createTestDatabase({ empty: true });
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  await database.transact(async (trx) => {
    await trx.schema
      .createTable('schema_migrations')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const migration of migrations.filter(({ name }) => name < number)) {
      await migration.up(trx, database.engine, async () => TEST_SEALER);
      await trx.insertInto('schema_migrations').values({ name: migration.name, applied_at: 1 }).execute();
    }
  });
  return database;
}
