// Subjects that match many entities: each match causes an alert, and transactions stay small.

import { WATCHED_HITS_MAX } from '@limen/contract';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { override } from '#testing/override.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';

const named = (name: string, count: number) =>
  Array.from({ length: count }, (_, nth) => createListedEntity(`e-${nth}`, name));
const alike = (count: number) => named('Torvald Eskeland', count);
const torvald = (list: string) => ({ reference: list, dataset: list, subject: { name: 'Torvald Eskeland' } });

let place: WatchingPlace;
/** Hooks for writing a hit and for locking subjects */
const on: { write?: (trx: object) => void; hold?: () => void } = {};

beforeAll(async () => {
  place = await prepareWatching({
    atEnd: afterAll,
    between: (tables) => ({
      ...tables,
      store: override(tables.store, {
        writeHit(trx, row) {
          on.write?.(trx);
          return tables.store.writeHit(trx, row);
        },
        async holdAll(trx, ids) {
          on.hold?.();
          return tables.store.holdAll(trx, ids);
        },
      }),
    }),
  });
});
afterEach(() => {
  for (const hook of ['write', 'hold'] as const) delete on[hook];
});

async function watchTorvald(list: string, count: number): Promise<string> {
  await place.publish(list, alike(count), '1');
  await place.follow();
  return place.watch(torvald(list));
}

it('reports every match beyond the fiftieth when it is added, changed and removed', async () => {
  await watchTorvald('north', 120);
  await place.work();
  const entities = alike(120);
  expect((await place.alerts('north')).toSorted()).toEqual(entities.map(({ id }) => `north new ${id}`).toSorted());
  const changed = { ...entities[77]!, programs: ['ANOTHER'] };
  const rest = entities.filter(({ id }) => id !== 'e-60' && id !== 'e-77');
  await place.publish('north', [...rest, changed, createListedEntity('e-120', 'Torvald Eskeland')], '2');
  await place.follow();
  expect((await place.alerts('north')).slice(120).toSorted()).toEqual([
    'north changed e-77',
    'north new e-120',
    'north removed e-60',
  ]);
});

it('warns in the subject and its alerts if more match than are kept, and reports no dropped match as removed', async () => {
  const id = await watchTorvald('south', WATCHED_HITS_MAX + 20);
  await place.work();
  const told = await place.watched.alerts(OWNER, { limit: 1_000, before: undefined, subjectId: id });
  expect(told).toHaveLength(WATCHED_HITS_MAX);
  expect(told.every(({ content }) => 'moreHits' in content && content.moreHits)).toBe(true);
  expect((await place.watched.find(OWNER, id)).row.more_hits).toBe(1);
  await place.publish('south', [...alike(WATCHED_HITS_MAX + 15), createListedEntity('a', 'Torvald Eskeland')], '2');
  await place.follow();
  expect((await place.alerts('south')).filter((alert) => alert.includes('removed'))).toEqual([]);
  // Once all matches fit, removals are reported.
  await place.publish('south', alike(3), '3');
  await place.follow();
  const { row, hitCount } = await place.watched.find(OWNER, id);
  expect([row.more_hits, hitCount]).toEqual([0, 3]);
});

it('writes at most a hundred hits per transaction, and yields the event loop after each', async () => {
  const others = named('Quorvina Belzanfer', 30).map((entity) => ({ ...entity, id: `o-${entity.id}` }));
  await place.publish('east', [...alike(230), ...others], '1');
  await place.follow();
  /** Hits per transaction, and whether the event loop had a turn before it */
  const writes = new Map<object, { hits: number; hadTurn: boolean }>();
  let hadTurn = true;
  on.write = (trx) => {
    const one = writes.get(trx) ?? { hits: 0, hadTurn };
    if (one.hits === 0) {
      hadTurn = false;
      setImmediate(() => {
        hadTurn = true;
      });
    }
    writes.set(trx, { ...one, hits: one.hits + 1 });
  };
  const watched = { ...torvald('east'), scoreThreshold: 0.85 };
  const more = Array.from({ length: 9 }, (_, nth) => ({
    ...watched,
    reference: `q-${nth}`,
    subject: { name: 'Quorvina Belzanfer' },
  }));
  await place.watched.puts.putAll(OWNER, 'a key', [watched, ...more]);
  await place.work();
  const counted = [...writes.values()];
  expect(counted.reduce((sum, { hits }) => sum + hits, 0)).toBe(230 + 9 * 30);
  expect(Math.max(...counted.map(({ hits }) => hits))).toBeLessThanOrEqual(100);
  expect(counted.filter((write) => !write.hadTurn)).toEqual([]);
});

it('continues a partial write after a crash, without duplicate alerts', async () => {
  const id = await watchTorvald('west', 230);
  let transactions = 0;
  on.hold = () => {
    transactions += 1;
    if (transactions === 2) throw new Error('the process ended here');
  };
  await expect(place.screen(id)).rejects.toThrow('ended here');
  expect(await place.alerts('west')).toHaveLength(100);
  expect((await place.watched.find(OWNER, id)).row.state).toBe('due');
  await place.work();
  const expected = alike(230).map((entity) => `west new ${entity.id}`);
  expect((await place.alerts('west')).toSorted()).toEqual(expected.toSorted());
});
