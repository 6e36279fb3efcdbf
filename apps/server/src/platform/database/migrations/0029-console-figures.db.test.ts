// A database that counted by key alone: its days keep their sums, of each world.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS } from '#testing/test-sealer.ts';
import { createActivityStore } from '../../../core/activity/store.ts';
import { systemClock } from '../../clock.ts';
import { migrate } from '../migrate.ts';

it('adds up what was counted before', async () => {
  const database = await openEarlierDatabase('0029');
  const bytes = (nth: number) => Buffer.of(nth);
  for (const [nth, kind] of ['live', 'live', 'test', 'development'].entries()) {
    await sql`insert into api_keys (id, lookup, sealed_key, kind, customer_id, status, when_created, last_updated, mac)
      values (${`key ${nth}`}, ${bytes(nth)}, ${bytes(nth)}, ${kind}, 'c', 'active', 1, 1, ${bytes(nth)})`.execute(
      database.queries,
    );
    const counts = { api_key_id: `key ${nth}`, name: 'age/state/completed', count: 10 ** nth };
    await database.queries
      .insertInto('activity_counts')
      .values([
        { day: '2026-03-01', ...counts },
        { day: '2026-03-02', ...counts },
      ])
      .execute();
  }
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0029-console-figures');
  const store = createActivityStore(database);
  const counted = { day: '2026-03-02', name: 'age/state/completed' };
  expect(await store.since('2026-03-02', { world: 'live' })).toEqual([{ ...counted, count: 11 }]);
  expect(await store.since('2026-03-02', { world: 'test' })).toEqual([{ ...counted, count: 1_100 }]);
  expect(await store.since('2026-03-02', { apiKeyId: 'key 1' })).toEqual([{ ...counted, count: 10 }]);
  expect(await store.since('2026-03-01')).toHaveLength(4);
});
