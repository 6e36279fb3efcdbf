import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { preparePgvector } from './pgvector-tables.ts';

it('refuses a database without pgvector and says what to install', async (context) => {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  if (engine === 'postgres') {
    const query = sql`select from pg_available_extensions where name = 'vector'`;
    const { rows } = await query.execute(database.queries);
    context.skip(rows.length > 0, 'this PostgreSQL has pgvector');
  }
  const failure = await preparePgvector(database).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartError);
  expect((failure as Error).message).toContain(
    engine === 'postgres' ? 'install it on that server' : 'set DATABASE_URL',
  );
});
