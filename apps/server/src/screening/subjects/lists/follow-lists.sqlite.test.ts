// What a new version of a list leads to: whom it concerns is told, once, and nobody else is.

import { IS_LONG } from '@limen/testing/rounds.ts';
import { expect, it, vi } from 'vitest';
import { override } from '#testing/override.ts';
import { listed } from '#testing/screening/listed-people.ts';
import { prepareWatching } from '#testing/screening/watching-place.ts';
import { WorkerError } from '../../engine/pool.ts';

const TORVALD = listed('inv-1', 'Torvald Eskeland', '1961-04-09');
const QUORVINA = listed('inv-2', 'Quorvina Belzanfer', '1980-12-01');
const MIRKO = listed('inv-3', 'Mirko Zantulgrave');
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

it('an entry that was added, changed or removed is told to those it concerns, once', async () => {
  const place = await watchThree();
  await place.publish('north', [{ ...TORVALD, programs: ['ANOTHER'] }, MIRKO], '2');
  expect(await place.follow()).toBe(4);
  const alerts = ['m new inv-3', 'q removed inv-2', 't changed inv-1'];
  expect((await place.alerts()).slice(2).toSorted()).toEqual(alerts);
  expect(await place.follow()).toBe(0);
  expect((await place.alerts()).slice(2).toSorted()).toEqual(alerts);
});

it('only those whom a change may concern are screened where there are many', async () => {
  const place = await watchThree({ isWorthIt: () => true });
  await place.publish('north', [{ ...TORVALD, programs: ['ANOTHER'] }, MIRKO], '2');
  // Of the four, one has nothing to do with any of the entries.
  expect(await place.follow()).toBe(3);
  expect((await place.alerts()).slice(2).toSorted()).toEqual(['m new inv-3', 'q removed inv-2', 't changed inv-1']);
  // Who comes or changes in between is known at the next change.
  await place.watch(named('l', 'Lorvina Askerholt'));
  await place.watch(named('n', 'Torvald Eskeland'));
  await place.work();
  await place.publish('north', [TORVALD, MIRKO, listed('inv-4', 'Lorvina Askerholt')], '3');
  expect(await place.follow()).toBe(3);
  expect((await place.alerts()).slice(6).toSorted()).toEqual(['l new inv-4', 'n changed inv-1', 't changed inv-1']);
});

it('a short new list is looked up among the subjects: who has nothing to do with it is not screened', async () => {
  const place = await prepareWatching({ isWorthIt: () => true });
  await place.publish('north', [TORVALD], '1');
  const watch = (name: string) => place.watch({ reference: name[0]!, subject: { name }, dataset: 'default' });
  for (const name of ['Torvald Eskeland', 'Quorvina Belzanfer', 'Mirko Zantulgrave', 'Nobody Whatsoever'])
    await watch(name);
  await place.work();
  await place.follow();
  await place.publish('south', [QUORVINA, TORVALD], '1');
  // Those whom it lists, and whose entry on the first list it has as well.
  expect(await place.follow()).toBe(2);
  expect((await place.alerts()).toSorted()).toEqual(['Q new inv-2', 'T changed inv-1', 'T new inv-1']);
  expect(await place.follow()).toBe(0);
  // What a look-up has missed is told a week later.
  place.clock.advance(8 * 24 * 60 * 60 * 1000);
  expect(await place.follow()).toBe(4);
});

it.runIf(IS_LONG)(
  'a look-up of a new list that was cut short is done again, and one of another version leaves it to everybody',
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

it('a version that was begun and taken back is made good for everybody', async () => {
  const place = await watchThree();
  await place.database.queries
    .updateTable('watched_lists')
    .set({ begun: 'some were told of it' })
    .where('name', '=', 'north')
    .execute();
  expect(await place.follow()).toBe(4);
  expect(await place.follow()).toBe(0);
});

it('a newer version is waited for as long as a process has it, and the same one is never older', async () => {
  const place = await watchThree();
  const lists = () => place.database.queries.updateTable('watched_lists').where('name', '=', 'north');
  await lists()
    .set(({ eb }) => ({ built_at: eb('built_at', '+', 1_000_000) }))
    .execute();
  // The same, built elsewhere a little later.
  expect(await place.screen(await place.watch(named('u', 'Torvald Eskeland')))).toEqual([]);
  await lists().set({ content: 'newer' }).execute();
  const id = await place.watch(named('v', 'Quorvina Belzanfer'));
  expect(await place.screen(id)).toEqual([id]);
  expect(await place.follow()).toBe(0);
  place.clock.advance(11 * 60 * 1000);
  expect(await place.screen(id)).toEqual([]);
  expect(await place.follow()).toBe(6);
});

it.runIf(IS_LONG)('times of change may be any, and together more than a number holds', async () => {
  const place = await watchThree({ isWorthIt: () => true });
  await place.database.queries
    .updateTable('watched_subjects')
    .set({ changed_at: 2 ** 52 })
    .execute();
  await place.publish('north', [TORVALD, QUORVINA, MIRKO], '2');
  expect(await place.follow()).toBe(1);
});

it.runIf(IS_LONG)('everybody is screened again a week after the last time', async () => {
  const place = await watchThree({ isWorthIt: () => true });
  await place.publish('north', [TORVALD, QUORVINA, MIRKO], '2');
  expect(await place.follow()).toBe(1);
  place.clock.advance(8 * 24 * 60 * 60 * 1000);
  expect(await place.follow()).toBe(4);
  expect(await place.follow()).toBe(0);
});

it('a list in which nothing but the time of the last sighting changed concerns nobody', async () => {
  const place = await watchThree();
  await place.publish('north', [{ ...TORVALD, lastSeen: '2026-02-02' }, QUORVINA], '2');
  expect(await place.follow()).toBe(0);
  expect(await place.alerts()).toHaveLength(2);
});

it('where versions were passed over, everybody is screened', async () => {
  const place = await watchThree();
  await place.publish('north', [TORVALD], '2');
  await place.publish('north', [TORVALD, MIRKO], '3');
  expect(await place.follow()).toBe(4);
  expect((await place.alerts()).slice(2).toSorted()).toEqual(['m new inv-3', 'q removed inv-2']);
});

it('whoever is watched against a list that is gone has no hits on it any more', async () => {
  const place = await watchThree();
  await place.withdraw('north');
  await place.follow();
  expect((await place.alerts()).slice(2).toSorted()).toEqual(['q removed inv-2', 't removed inv-1']);
});

it('hits on a list that is gone are removed, from a collection that goes on', async () => {
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

it('a process that has an older list than another one has worked through changes nothing', async () => {
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

it('a removed entry is told with the version in which it is missing', async () => {
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

it('everybody is screened where a thread gives up on looking a change up', async () => {
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

it('nothing is taken for gone while lists are being loaded', async () => {
  const place = await watchThree();
  const { catalogue } = place.shared;
  // As at a start: what is on the disk is not loaded yet, or only some of it.
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
