// `limen demo-data`: fills an empty development service, and nothing else.
import { expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { createIds } from '../../platform/ids.ts';
import { openStorage } from '../../platform/open-storage.ts';
import { prepareDatabase, runLimenHere } from '../testing/run-limen.ts';

it('leaves sessions, counts, cases and watched subjects, and does so once', async () => {
  const { environment, dataDir, url } = await prepareDatabase();
  const fill = (...args: string[]) => runLimenHere(['demo-data', '--days', '1', ...args], { environment });
  const first = await fill();
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/Played \d+ sessions of 1 days/)]);

  const { database } = await openStorage({
    ...{ dataDir, url, clock: systemClock, ids: createIds(systemClock) },
    masterKey: undefined,
  });
  const count = async (table: 'sessions' | 'watched_hits' | 'review_cases' | 'activity_counts' | 'audit_lines') =>
    (await database.queries.selectFrom(table).selectAll().execute()).length;
  const counts = [await count('sessions'), await count('watched_hits'), await count('activity_counts')];
  expect(counts.every((rows) => rows > 3)).toBe(true);
  const kinds = await database.queries.selectFrom('review_cases').select('kind').distinct().execute();
  expect(kinds.map(({ kind }) => kind).sort()).toEqual(['hit', 'session']);
  await database.close();

  const second = await fill();
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('--anyway')]);
});

it('refuses a production service, and days that it does not know', async () => {
  const { environment } = await prepareDatabase();
  const masterKey = Buffer.alloc(32, 7).toString('base64');
  const production = { ...environment, NODE_ENV: 'production', MASTER_KEY: masterKey };
  const refused = await runLimenHere(['demo-data'], { environment: production });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('production')]);
  expect((await runLimenHere(['demo-data', '--days', '0'], { environment })).code).toBe(2);
});
