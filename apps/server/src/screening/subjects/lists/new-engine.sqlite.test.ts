// A new version of the engine: everybody is screened again in the background, and what it says otherwise is kept.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { override } from '#testing/override.ts';
import { inventName, listed } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';
import { ENGINE } from '../engine.ts';

let place: WatchingPlace;
let onOutdated: (() => Promise<void>) | undefined;
let current = ENGINE;

beforeAll(async () => {
  place = await prepareWatching({
    atEnd: afterAll,
    between: (tables) => ({
      ...tables,
      worked: override(tables.worked, {
        async outdatedAfter(...given) {
          const then = onOutdated;
          onOutdated = undefined;
          await then?.();
          return tables.worked.outdatedAfter(...given);
        },
      }),
    }),
  });
});

/** Goes on with the next engine, which may score otherwise. */
function upgrade(rescore?: () => number): string {
  current = { version: `${current.version}x`, number: current.number + 1 };
  place.upgrade(current, rescore);
  return current.version;
}

const entry = (list: string) => listed(`${list}-1`, 'Torvald Eskeland');

async function watchTorvald(list: string): Promise<string> {
  await place.publish(list, [entry(list)], '1');
  await place.follow();
  const id = await place.watch({ reference: list, dataset: list, subject: { name: 'Torvald Eskeland' } });
  await place.work();
  return id;
}

it('nobody stays with what an earlier engine said: everybody is screened once more, and count tells how far that is', async () => {
  const id = await watchTorvald('north');
  expect(await place.watched.count(OWNER)).toEqual({ total: 1, due: 0, withoutList: 0, outdated: 0 });
  expect(await place.follow()).toBe(0);
  const version = upgrade();
  expect(await place.watched.count(OWNER)).toEqual({ total: 1, due: 0, withoutList: 0, outdated: 1 });
  expect(await place.follow()).toBe(1);
  expect(await place.watched.count(OWNER)).toEqual({ total: 1, due: 0, withoutList: 0, outdated: 0 });
  expect(await place.follow()).toBe(0);
  // The same outcome is no news, and the hit says who found it.
  expect(await place.history(id)).toHaveLength(1);
  expect((await place.watched.hits.list((await place.watched.find(OWNER, id)).row))[0]!.engineVersion).toBe(version);
});

it('an outcome that is scored otherwise is never overwritten without a row of history, told or not', async () => {
  const id = await watchTorvald('south');
  const first = current.version;
  const second = upgrade(() => 0.97);
  await place.follow();
  expect(await place.alerts('south')).toEqual(['south new south-1']);
  const third = upgrade(() => 0.9);
  await place.follow();
  expect(await place.alerts('south')).toEqual(['south new south-1', 'south changed south-1']);
  const kept = (await place.history(id)).map(({ row, content }) => [row.kind, content]);
  expect(kept).toMatchObject([
    ['new', { engineVersion: first, match: { score: 0.98 } }],
    [
      'refreshed',
      {
        engineVersion: second,
        listVersion: '1',
        entryHash: expect.any(String),
        match: { score: 0.97, explanation: { name: expect.any(Object) } },
        before: { score: 0.98, engineVersion: first },
      },
    ],
    [
      'changed',
      { engineVersion: third, because: ['strength', 'engine'], before: { score: 0.97, engineVersion: second } },
    ],
  ]);
});

it('screening the same again leaves no history, whatever was sealed and opened in between', async () => {
  upgrade();
  const id = await watchTorvald('east');
  await place.screen(id);
  await place.screen(id);
  expect(await place.history(id)).toHaveLength(1);
});

it('a list that changes meanwhile goes first, and the rest is not forgotten', async () => {
  await watchTorvald('west');
  const others = Array.from({ length: 200 }, (_, at) => ({
    reference: `o-${at}`,
    subject: { name: Object.values(inventName(at)).join(' ') },
    dataset: 'west',
    scoreThreshold: 0.85,
  }));
  await place.watched.puts.putAll(OWNER, 'a key', others);
  await place.work();
  await place.follow();
  upgrade();
  const { total } = await place.watched.count(OWNER);
  onOutdated = () => place.publish('west', [{ ...entry('west'), programs: ['ANOTHER'] }], '2');
  expect(await place.follow()).toBe(200);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: total - 200 });
  // Whoever has a hit on it: what its programmes are makes nobody else one.
  expect(await place.follow()).toBe(1);
  expect(await place.alerts('west')).toEqual(['west new west-1', 'west changed west-1']);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: total - 200 });
  expect(await place.follow()).toBe(total - 200);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: 0 });
});

it('whom a change of a list brought up is screened on everything by the new engine all the same', async () => {
  await watchTorvald('inland');
  while ((await place.follow()) > 0);
  upgrade();
  const { total } = await place.watched.count(OWNER);
  await place.publish('inland', [{ ...entry('inland'), programs: ['ANOTHER'] }], '2');
  expect(await place.follow()).toBe(1);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: total });
});

it('an outcome that is kept without an alert sends no webhook', async () => {
  await place.publish('coast', [entry('coast')], '1');
  await place.follow();
  const callback = { url: 'https://bank.example/alerts', headers: {} };
  await place.watch({ reference: 'coast', dataset: 'coast', subject: { name: 'Torvald Eskeland' }, callback });
  await place.work();
  upgrade(() => 0.97);
  while ((await place.follow()) > 0);
  upgrade(() => 0.9);
  while ((await place.follow()) > 0);
  expect(place.sent).toEqual(['screening.hit.new', 'screening.hit.changed']);
});
