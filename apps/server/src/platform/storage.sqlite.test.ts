// A start concurrent with changes to what it relies on.
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { systemClock } from './base/clock.ts';
import { createIds } from './base/ids.ts';
import { sqliteFile } from './database/database.ts';
import { openStorage } from './storage.ts';

it('is refused if an upgrade finished between its schema check and its process row', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const options = { ...place, masterKey: undefined, clock: systemClock };
  const ids = createIds(systemClock);
  await (await openStorage({ ...options, ids })).database.close();
  let isEnded = false;
  /** The process row is the first thing that needs an id. */
  const sortable = <Id extends string = string>() => {
    const db = new DatabaseSync(sqliteFile(place.dataDir));
    if (!isEnded)
      db.exec("insert into schema_migrations (name, applied_at, phase) values ('9999-less', 0, 'contract')");
    isEnded = true;
    db.close();
    return ids.sortable<Id>();
  };
  await expect(openStorage({ ...options, ids: { ...ids, sortable } })).rejects.toThrow(
    'The database was written by a newer Limen (migration 9999-less)',
  );
  expect(isEnded).toBe(true);
});
