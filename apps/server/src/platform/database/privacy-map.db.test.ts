// The privacy map against a database as the migrations leave it: no table and no column without an entry.
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { openDatabase } from './database.ts';
import { PRIVACY_MAP } from './privacy-map.ts';

it('has every column of every table, and none that is not there', async () => {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const tables = await database.queries.introspection.getTables();
  const found = tables.map(({ name, columns }) => [name, columns.map((column) => column.name).toSorted()]);
  const mapped = Object.entries(PRIVACY_MAP).map(([name, { columns }]) => [name, Object.keys(columns).toSorted()]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(mapped));
});
