// Only names of watched subjects are in memory; those of deleted ones for a day at most.
import { listEntities } from '@limen/screening';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it } from 'vitest';
import { override } from '#testing/override.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { prepareWatching } from '#testing/screening/watching-place.ts';

it('evicts the names of a deleted subject, and the whole index if few subjects are watched', async () => {
  let isWorthIt = true;
  /** References in the indexes at the last lookup */
  let looked: string[] = [];
  const place = await prepareWatching({
    isWorthIt: () => isWorthIt,
    between: (tables) => ({
      ...tables,
      pool: override(tables.pool, {
        openLane(editions) {
          const subjects = editions.filter(({ id }) => id < 0);
          if (subjects.length > 0)
            looked = subjects.flatMap(({ index }) => [...listEntities(index)].map(({ id }) => id));
          return tables.pool.openLane(editions);
        },
      }),
    }),
  });
  const publish = async (version: string) => {
    await place.publish(
      'north',
      [createListedEntity('inv-1', 'Torvald Eskeland', undefined, { addresses: [version] })],
      version,
    );
    await place.follow();
  };
  await publish('1');
  const torvald = await place.watch({ reference: 't', subject: { name: 'Torvald Eskeland' } });
  const quorvina = await place.watch({ reference: 'q', subject: { name: 'Quorvina Belzanfer' } });
  await place.work();
  await publish('2');
  expect(looked.toSorted()).toEqual([torvald, quorvina].toSorted());
  await place.unwatch(torvald);
  place.clock.advance(25 * 60 * 60 * 1000);
  // Nothing changed, but the index is evicted.
  expect(await place.follow()).toBe(0);
  expect(place.held).toBe(1);
  await publish('3');
  expect(looked).toEqual([quorvina]);
  isWorthIt = false;
  await place.follow();
  expect(place.held).toBe(0);
});

it("screens subjects with a threshold below the lookup's guarantee at every change", async () => {
  const place = await prepareWatching({ isWorthIt: () => true });
  const torvald = createListedEntity('inv-1', 'Torvald Eskeland');
  await place.publish('north', [torvald], '1');
  await place.follow();
  await place.watch({ reference: 'l', subject: { name: 'Quorvina Belzanfer' }, scoreThreshold: 0.82 });
  await place.watch({ reference: 'h', subject: { name: 'Mirko Zantulgrave' }, scoreThreshold: 0.83 });
  await place.work();
  await place.publish('north', [{ ...torvald, names: ['Torvald Eskeland', 'Lorvina Askerholt'] }], '2');
  expect(await place.follow()).toBe(1);
  await place.publish(
    'north',
    [{ ...torvald, names: ['Torvald Eskeland', 'Lorvina Askerholt'], programs: ['X'] }],
    '3',
  );
  expect(await place.follow()).toBe(0);
});

const SET_BACK = ['is set back', -60_000] as const;

it.each(onlyWhenLong([['stands still', 0] as const, SET_BACK], [SET_BACK]))(
  'looks a changed subject up as changed while the clock %s',
  async (_, milliseconds) => {
    const place = await prepareWatching({ isWorthIt: () => true });
    const torvald = createListedEntity('inv-1', 'Torvald Eskeland');
    await place.publish('north', [torvald], '1');
    await place.follow();
    for (const reference of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
      await place.watch({ reference, subject: { name: 'Mirko Zantulgrave' } });
    await place.work();
    await place.follow();
    place.clock.advance(milliseconds);
    await place.watch({ reference: 'a', subject: { name: 'Quorvina Belzanfer' } });
    await place.work();
    await place.publish('north', [torvald, createListedEntity('inv-2', 'Quorvina Belzanfer')], '2');
    await place.follow();
    expect(await place.alerts()).toEqual(['a new inv-2']);
  },
);
