// Activity counts add up by key, by world and in total, despite concurrent writers.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds } from '../platform/base/ids.ts';
import { openStorage } from '../platform/storage.ts';
import { type ActivityRow, type ActivityStore, createActivityStore, type TotalRow } from './activity.ts';

const LIVE = { world: 'live', apiKeyId: 'key 1' } as const;
const LIVE_TOO = { world: 'live', apiKeyId: 'key 2' } as const;
const TEST = { world: 'test', apiKeyId: 'key 3' } as const;
const NAME = 'age/state/completed';

let store: ActivityStore;

beforeEach(async () => {
  const clock = createManualClock();
  const place = await createTestDatabase();
  const { dataDir, url } = place;
  const { database } = await openStorage({ url, dataDir, masterKey: undefined, clock, ids: createIds(clock) });
  store = createActivityStore(database);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
});

const counted = (of: Pick<ActivityRow, 'world' | 'apiKeyId'>, count: number, day = '2026-03-01'): ActivityRow => ({
  ...of,
  ...{ day, name: NAME, count },
});

function sumOf(rows: readonly TotalRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

describe('activity counts', () => {
  it('are added to the existing ones of a key, a world and in total', async () => {
    await store.add([counted(LIVE, 1), counted(LIVE_TOO, 20), counted(TEST, 300)]);
    await store.add([counted(LIVE, 4_000)]);
    const sums = await Promise.all([
      store.since('2026-03-01', { apiKeyId: LIVE.apiKeyId }),
      store.since('2026-03-01', { apiKeyId: LIVE_TOO.apiKeyId }),
      store.since('2026-03-01', { apiKeyId: 'another' }),
      store.since('2026-03-01', { world: 'live' }),
      store.since('2026-03-01', { world: 'test' }),
      store.since('2026-03-01'),
      store.since('2026-03-02'),
    ]);
    expect(sums.map(sumOf)).toEqual([4_001, 20, 0, 4_021, 300, 4_321, 0]);
  });

  it('lose nothing in concurrent writes', async () => {
    const keys = [LIVE, LIVE_TOO, TEST];
    const rounds = Array.from({ length: 8 }, (_, nth) => {
      const rows = keys.flatMap((key) => [counted(key, 1), counted(key, 1, '2026-03-02')]);
      return store.add(nth % 2 === 0 ? rows : rows.toReversed());
    });
    await Promise.all(rounds);
    expect(sumOf(await store.since('2026-03-01'))).toBe(8 * 6);
    expect(sumOf(await store.since('2026-03-01', { apiKeyId: TEST.apiKeyId }))).toBe(8 * 2);
  });

  it('are purged a day at a time in every scope', async () => {
    await store.add([counted(LIVE, 1), counted(LIVE, 20, '2026-03-02')]);
    await store.prune('2026-03-02');
    expect(sumOf(await store.since('2026-01-01'))).toBe(20);
    expect(sumOf(await store.since('2026-01-01', { apiKeyId: LIVE.apiKeyId }))).toBe(20);
  });
});
