// A new engine version screens everyone again in the background, and records different outcomes.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { override } from '#testing/override.ts';
import { createListedEntity, inventName } from '#testing/screening/listed-people.ts';
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

/** Continues with the next engine, whose scores may differ. */
function upgrade(rescore?: () => number): string {
  current = { version: `${current.version}x`, number: current.number + 1 };
  place.upgrade(current, rescore);
  return current.version;
}

const entry = (list: string) => createListedEntity(`${list}-1`, 'Torvald Eskeland');

async function watchTorvald(list: string): Promise<string> {
  await place.publish(list, [entry(list)], '1');
  await place.follow();
  const id = await place.watch({ reference: list, dataset: list, subject: { name: 'Torvald Eskeland' } });
  await place.work();
  return id;
}

it('screens everyone once more with a new engine, and reports its progress', async () => {
  const id = await watchTorvald('north');
  expect(await place.watched.count(OWNER)).toEqual({ total: 1, due: 0, withoutList: 0, outdated: 0 });
  expect(await place.follow()).toBe(0);
  const version = upgrade();
  expect(await place.watched.count(OWNER)).toEqual({ total: 1, due: 0, withoutList: 0, outdated: 1 });
  expect(await place.follow()).toBe(1);
  expect(await place.watched.count(OWNER)).toEqual({ total: 1, due: 0, withoutList: 0, outdated: 0 });
  expect(await place.follow()).toBe(0);
  // An unchanged outcome sends no alert. The hit names the engine that found it.
  expect(await place.history(id)).toHaveLength(1);
  expect((await place.watched.hits.list((await place.watched.find(OWNER, id)).row))[0]!.engineVersion).toBe(version);
});

it('never overwrites a different outcome without a history row, with or without an alert', async () => {
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

it('adds no history for an unchanged outcome, however often it was sealed and opened', async () => {
  upgrade();
  const id = await watchTorvald('east');
  await place.screen(id);
  await place.screen(id);
  expect(await place.history(id)).toHaveLength(1);
});

it('handles a list that changes during the upgrade first, and then continues with the rest', async () => {
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
  // Only the subject with a hit on it, because a changed program creates no new hit.
  expect(await place.follow()).toBe(1);
  expect(await place.alerts('west')).toEqual(['west new west-1', 'west changed west-1']);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: total - 200 });
  expect(await place.follow()).toBe(total - 200);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: 0 });
});

it('still screens a subject against everything after a list change concerned it', async () => {
  await watchTorvald('inland');
  while ((await place.follow()) > 0);
  upgrade();
  const { total } = await place.watched.count(OWNER);
  await place.publish('inland', [{ ...entry('inland'), programs: ['ANOTHER'] }], '2');
  expect(await place.follow()).toBe(1);
  expect(await place.watched.count(OWNER)).toMatchObject({ outdated: total });
});

it('sends no webhook for an outcome that is stored without an alert', async () => {
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
