// A new list version alerts the affected subjects once, and no others.

import { IS_LONG } from '@limen/testing/rounds.ts';
import { expect, it, vi } from 'vitest';
import { override } from '#testing/override.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { prepareWatching } from '#testing/screening/watching-place.ts';
import { WorkerError } from '../../engine/pool.ts';

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09');
const QUORVINA = createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01');
const MIRKO = createListedEntity('inv-3', 'Mirko Zantulgrave');
const named = (reference: string, name: string) => ({ reference, subject: { name } });

async function watchThree(options?: Parameters<typeof prepareWatching>[0]) {
  const place = await prepareWatching(options);
  await place.publish('north', [TORVALD, QUORVINA], '1');
  await place.watch(named('t', 'Torvald Eskeland'));
  await place.watch(named('q', 'Quorvina Belzanfer'));
  await place.watch(named('m', 'Mirko Zantulgrave'));
  await place.watch(named('n', 'Nobody Whatsoever'));
  await place.work();
  await place.follow();
  expect((await place.alerts()).toSorted()).toEqual(['q new inv-2', 't new inv-1']);
  expect(await place.follow()).toBe(0);
  return place;
}

it('alerts the affected subjects once about an added, changed or removed entry', async () => {
  const place = await watchThree();
  await place.publish('north', [{ ...TORVALD, programs: ['ANOTHER'] }, MIRKO], '2');
  expect(await place.follow()).toBe(4);
  const alerts = ['m new inv-3', 'q removed inv-2', 't changed inv-1'];
  expect((await place.alerts()).slice(2).toSorted()).toEqual(alerts);
  expect(await place.follow()).toBe(0);
  expect((await place.alerts()).slice(2).toSorted()).toEqual(alerts);
});

it('screens only possibly affected subjects if there are many', async () => {
  const place = await watchThree({ isWorthIt: () => true });
  await place.publish('north', [{ ...TORVALD, programs: ['ANOTHER'] }, MIRKO], '2');
  // One of the four is unrelated to all entries.
  expect(await place.follow()).toBe(3);
  expect((await place.alerts()).slice(2).toSorted()).toEqual(['m new inv-3', 'q removed inv-2', 't changed inv-1']);
  // A subject added or changed in between is covered by the next change.
  await place.watch(named('l', 'Lorvina Askerholt'));
  await place.watch(named('n', 'Torvald Eskeland'));
  await place.work();
  await place.publish('north', [TORVALD, MIRKO, createListedEntity('inv-4', 'Lorvina Askerholt')], '3');
  expect(await place.follow()).toBe(3);
  expect((await place.alerts()).slice(6).toSorted()).toEqual(['l new inv-4', 'n changed inv-1', 't changed inv-1']);
});

it('looks up a short new list among the subjects, and skips unrelated ones', async () => {
  const place = await prepareWatching({ isWorthIt: () => true });
  await place.publish('north', [TORVALD], '1');
  const watch = (name: string) => place.watch({ reference: name[0]!, subject: { name }, dataset: 'default' });
  for (const name of ['Torvald Eskeland', 'Quorvina Belzanfer', 'Mirko Zantulgrave', 'Nobody Whatsoever'])
    await watch(name);
  await place.work();
  await place.follow();
  await place.publish('south', [QUORVINA, TORVALD], '1');
  // Subjects on the new list that also have an entry on the first list.
  expect(await place.follow()).toBe(2);
  expect((await place.alerts()).toSorted()).toEqual(['Q new inv-2', 'T changed inv-1', 'T new inv-1']);
  expect(await place.follow()).toBe(0);
  // A match that the lookup misses is found a week later.
  place.clock.advance(8 * 24 * 60 * 60 * 1000);
  expect(await place.follow()).toBe(4);
});

it.runIf(IS_LONG)(
  'repeats an interrupted lookup of a new list, and screens everyone after one of another version',
  async () => {
    let cuts = 1;
    const place = await prepareWatching({
      isWorthIt: () => true,
      between: (tables) => ({
        ...tables,
        worked: override(tables.worked, {
          subjectsWithHitsOn: async (digests) => {
            if (cuts-- > 0) throw new Error('cut short');
            return tables.worked.subjectsWithHitsOn(digests);
          },
        }),
      }),
    });
    await place.publish('north', [TORVALD], '1');
    await place.watch(named('t', 'Torvald Eskeland'));
    await place.watch(named('n', 'Nobody Whatsoever'));
    await place.work();
    await expect(place.follow()).rejects.toThrow('cut short');
    expect(await place.follow()).toBe(1);
    cuts = 1;
    await place.publish('south', [QUORVINA], '1');
    await expect(place.follow()).rejects.toThrow('cut short');
    await place.publish('south', [QUORVINA, MIRKO], '2');
    expect(await place.follow()).toBe(2);
    expect(await place.follow()).toBe(0);
  },
);

it('screens everyone after a version was started and rolled back', async () => {
  const place = await watchThree();
  await place.database.queries
    .updateTable('watched_lists')
    .set({ begun: 'some were told of it' })
    .where('name', '=', 'north')
    .execute();
  expect(await place.follow()).toBe(4);
  expect(await place.follow()).toBe(0);
});

it('waits for a newer version while a process has it, and never treats the same one as older', async () => {
  const place = await watchThree();
  const lists = () => place.database.queries.updateTable('watched_lists').where('name', '=', 'north');
  await lists()
    .set(({ eb }) => ({ built_at: eb('built_at', '+', 1_000_000) }))
    .execute();
  // An equal version, built elsewhere a little later.
  expect(await place.screen(await place.watch(named('u', 'Torvald Eskeland')))).toEqual([]);
  await lists().set({ content: 'newer' }).execute();
  const id = await place.watch(named('v', 'Quorvina Belzanfer'));
  expect(await place.screen(id)).toEqual([id]);
  expect(await place.follow()).toBe(0);
  place.clock.advance(11 * 60 * 1000);
  expect(await place.screen(id)).toEqual([]);
  expect(await place.follow()).toBe(6);
});

it.runIf(IS_LONG)('accepts any times of change, even if their sum exceeds a number', async () => {
  const place = await watchThree({ isWorthIt: () => true });
  await place.database.queries
    .updateTable('watched_subjects')
    .set({ changed_at: 2 ** 52 })
    .execute();
  await place.publish('north', [TORVALD, QUORVINA, MIRKO], '2');
  expect(await place.follow()).toBe(1);
});

it.runIf(IS_LONG)('screens everyone again a week after the last time', async () => {
  const place = await watchThree({ isWorthIt: () => true });
  await place.publish('north', [TORVALD, QUORVINA, MIRKO], '2');
  expect(await place.follow()).toBe(1);
  place.clock.advance(8 * 24 * 60 * 60 * 1000);
  expect(await place.follow()).toBe(4);
  expect(await place.follow()).toBe(0);
});

it('ignores a version in which only the time of the last sighting changed', async () => {
  const place = await watchThree();
  await place.publish('north', [{ ...TORVALD, lastSeen: '2026-02-02' }, QUORVINA], '2');
  expect(await place.follow()).toBe(0);
  expect(await place.alerts()).toHaveLength(2);
});

it('screens everyone if versions were skipped', async () => {
  const place = await watchThree();
  await place.publish('north', [TORVALD], '2');
  await place.publish('north', [TORVALD, MIRKO], '3');
  expect(await place.follow()).toBe(4);
  expect((await place.alerts()).slice(2).toSorted()).toEqual(['m new inv-3', 'q removed inv-2']);
});

it('removes all hits of a subject watched against a removed list', async () => {
  const place = await watchThree();
  await place.withdraw('north');
  await place.follow();
  expect((await place.alerts()).slice(2).toSorted()).toEqual(['q removed inv-2', 't removed inv-1']);
});

it('removes hits on a removed list from a collection that still has others', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD], '1');
  await place.publish('south', [QUORVINA], '1');
  for (const name of ['Torvald Eskeland', 'Quorvina Belzanfer'])
    await place.watch({ reference: name[0]!, subject: { name }, dataset: 'default' });
  await place.work();
  await place.follow();
  await place.withdraw('south');
  await place.follow();
  expect((await place.alerts()).slice(2)).toEqual(['Q removed inv-2']);
});

it('changes nothing in a process with an older list than another process has finished', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD], '1');
  await place.follow();
  await place.database.transact(async (trx) => {
    const [row] = (await place.worked.hold(trx)).filter(({ name }) => name === 'north');
    await place.worked.record(trx, { ...row!, version: '2', content: 'newer', built_at: row!.built_at + 1 });
  });
  const id = await place.watch(named('t', 'Torvald Eskeland'));
  expect(await place.screen(id)).toEqual([id]);
  expect(await place.follow()).toBe(0);
  expect(await place.alerts()).toEqual([]);
  expect((await place.store.findMany([id]))[0]!.state).toBe('due');
});

it('reports a removed entry with the version in which it is missing', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD, QUORVINA], '1');
  await place.follow();
  const id = await place.watch(named('q', 'Quorvina Belzanfer'));
  await place.work();
  await place.publish('north', [TORVALD], '2');
  await place.follow();
  const told = (await place.history(id)).map(({ row, content }) => [
    row.kind,
    'match' in content && content.listVersion,
  ]);
  expect(told).toEqual([
    ['new', '1'],
    ['removed', '2'],
  ]);
});

it('screens everyone if a thread gives up on a lookup', async () => {
  const place = await watchThree({
    isWorthIt: () => true,
    between: (tables) => ({
      ...tables,
      pool: override(tables.pool, {
        openLane(editions) {
          const lane = tables.pool.openLane(editions);
          const run: typeof lane.run = (make) =>
            make().kind === 'concerned' ? Promise.reject(new WorkerError({ error: 'timeout' })) : lane.run(make);
          return { ...lane, run };
        },
      }),
    }),
  });
  await place.publish('north', [TORVALD, QUORVINA, MIRKO], '2');
  expect(await place.follow()).toBe(4);
  expect((await place.alerts()).slice(2)).toEqual(['m new inv-3']);
});

it('removes no hit while lists are being loaded', async () => {
  const place = await watchThree();
  const { catalogue } = place.shared;
  // As during a start, when none or only some of the lists on disk are loaded.
  const loading = [
    vi.spyOn(catalogue, 'progress').mockReturnValue('loading'),
    vi.spyOn(catalogue, 'loaded').mockReturnValue([]),
    vi.spyOn(catalogue, 'describe').mockReturnValue([]),
  ];
  expect(await place.follow()).toBe(0);
  for (const spy of loading) spy.mockRestore();
  expect(await place.follow()).toBe(0);
  expect(await place.alerts()).toHaveLength(2);
});
