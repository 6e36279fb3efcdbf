// A removed list clears no one: its subjects report that they are not screened until there is a
// list again.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';
import { presentSubject } from '../present.ts';

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09');

const look = async ({ watched }: WatchingPlace, id: string) => presentSubject(await watched.find(OWNER, id));
const inState = async ({ watched }: WatchingPlace, state: 'screened' | 'no_list') => {
  const found = await watched.list(OWNER, { limit: 10, before: undefined, state });
  return found.map(({ content }) => content.reference).toSorted();
};

it.each(onlyWhenLong([false, true], [true]))(
  'lets subjects of a removed list wait with a warning, and screens them when it returns (looked up: %s)',
  async (lookedUp) => {
    const place = await prepareWatching({ isWorthIt: () => lookedUp });
    await place.publish('north', [TORVALD], '1');
    await place.publish('south', [TORVALD], '1');
    await place.watch({ reference: 'hit', subject: { name: 'Torvald Eskeland' } });
    const id = await place.watch({ reference: 'none', subject: { name: 'Nobody Whatsoever' } });
    await place.watch({ reference: 'elsewhere', subject: { name: 'Nobody Whatsoever' }, dataset: 'south' });
    await place.watch({ reference: 'any', subject: { name: 'Nobody Whatsoever' }, dataset: 'default' });
    await place.work();
    await place.follow();
    await place.withdraw('north');
    // The subject of the other list and that of all lists have lost nothing.
    expect(await place.follow()).toBe(2);
    expect(await place.alerts()).toEqual(['hit new inv-1', 'hit removed inv-1']);
    expect(await inState(place, 'no_list')).toEqual(['hit', 'none']);
    expect(await inState(place, 'screened')).toEqual(['any', 'elsewhere']);
    expect(await place.watched.count(OWNER)).toEqual({ total: 4, due: 0, withoutList: 2, outdated: 0 });
    expect(await place.worked.countWithoutList()).toBe(2);
    expect(await look(place, id)).toMatchObject({
      state: 'no_list',
      warnings: [
        {
          path: 'dataset',
          message: expect.stringMatching(/^No list named north is loaded anymore, .*clears no one/),
        },
      ],
    });
    // A changed subject still waits.
    await place.watch({ reference: 'none', subject: { name: 'Torvald Eskeland' } });
    await place.work();
    expect((await look(place, id)).state).toBe('no_list');
    await place.publish('north', [TORVALD], '2');
    await place.follow();
    expect(await inState(place, 'no_list')).toEqual([]);
    expect((await place.alerts()).slice(2).toSorted()).toEqual(['hit new inv-1', 'none new inv-1']);
    expect((await look(place, id)).warnings).toBeUndefined();
  },
);

it('clears no one against a collection with only the demo, initially or after the last list is removed', async () => {
  const place = await prepareWatching();
  const peps = await place.watch({ reference: 'p', subject: { name: 'Nobody Whatsoever' }, dataset: 'peps' });
  const demo = await place.watch({ reference: 'd', subject: { name: 'Nobody Whatsoever' }, dataset: 'demo' });
  await place.work();
  expect(await look(place, demo)).toMatchObject({ state: 'screened' });
  const message = expect.stringMatching(/fictional demo .*clears no one.*os_peps/);
  const warned = { state: 'no_list', warnings: [{ path: 'dataset', message }] };
  expect(await look(place, peps)).toMatchObject(warned);
  // A sanctioned entity only, which is not in the collection of politically exposed persons.
  await place.publish('north', [TORVALD], '1');
  await place.follow();
  expect(await look(place, peps)).toMatchObject(warned);
  await place.publish(
    'rulers',
    [createListedEntity('pep-1', 'Mirko Zantulgrave', undefined, { topics: ['role.pep'] })],
    '1',
  );
  await place.follow();
  expect((await look(place, peps)).state).toBe('screened');
  await place.withdraw('rulers');
  await place.follow();
  expect(await look(place, peps)).toMatchObject(warned);
});

it('keeps all hits of a list that is missing without a removal, as after a restore, until it returns or is removed', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD], '1');
  await place.publish('south', [TORVALD], '1');
  const id = await place.watch({ reference: 'named', subject: { name: 'Torvald Eskeland' } });
  await place.watch({ reference: 'any', subject: { name: 'Torvald Eskeland' }, dataset: 'default' });
  await place.watch({ reference: 'moved', subject: { name: 'Torvald Eskeland' } });
  await place.work();
  await place.follow();
  const told = await place.alerts();
  await place.lose('north');
  expect(await place.follow()).toBe(3);
  expect(await place.follow()).toBe(0);
  expect([await place.alerts(), await inState(place, 'no_list')]).toEqual([told, ['moved', 'named']]);
  expect(await look(place, id)).toMatchObject({ state: 'no_list', hits: 1, warnings: [{ path: 'dataset' }] });
  // Hits also survive a change of the subject, but not a change of its dataset.
  await place.watch({ reference: 'named', subject: { name: 'Torvald Eskeland', aliases: ['T. Eskeland'] } });
  await place.watch({ reference: 'moved', subject: { name: 'Nobody Whatsoever' }, dataset: 'south' });
  await place.work();
  expect((await look(place, id)).hits).toBe(1);
  expect((await place.alerts()).slice(told.length)).toEqual(['moved removed inv-1']);

  // The unchanged list finds the same hits; without the entity the hit is removed.
  await place.publish('north', [TORVALD], '1');
  await place.follow();
  expect([await inState(place, 'no_list'), (await place.alerts()).length]).toEqual([[], told.length + 1]);
  await place.lose('north');
  await place.follow();
  await place.publish('north', [createListedEntity('inv-2', 'Quorvina Belzanfer')], '2');
  await place.follow();
  expect((await place.alerts()).slice(told.length + 1).toSorted()).toEqual([
    'any changed inv-1',
    'named removed inv-1',
  ]);

  await place.publish('north', [TORVALD], '3');
  await place.follow();
  await place.lose('north');
  await place.follow();
  expect((await look(place, id)).hits).toBe(1);
  await place.shared.folder.remove('north');
  await place.follow();
  expect(await look(place, id)).toMatchObject({ state: 'no_list', hits: 0 });
  expect(await place.worked.all()).not.toContainEqual(expect.objectContaining({ name: 'north' }));
});

it('waits for a list that only this process lacks, while others handle its changes', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD], '1');
  await place.publish('south', [TORVALD], '1');
  const id = await place.watch({ reference: 'named', subject: { name: 'Torvald Eskeland' } });
  await place.work();
  await place.follow();
  await place.lose('north', true);
  expect(await place.follow()).toBe(0);
  await place.watch({ reference: 'named', subject: { name: 'Torvald Eskeland', aliases: ['T. Eskeland'] } });
  await place.watch({ reference: 'new', subject: { name: 'Torvald Eskeland' }, dataset: 'default' });
  await place.watch({ reference: 'elsewhere', subject: { name: 'Torvald Eskeland' }, dataset: 'south' });
  await place.work();
  expect((await look(place, id)).state).toBe('due');
  expect(await place.watched.count(OWNER)).toMatchObject({ total: 3, due: 2, withoutList: 0 });
  // Acts as the process that has the list.
  await place.publish('north', [TORVALD], '1');
  place.clock.advance(60_000);
  await place.work();
  expect(await place.follow()).toBe(0);
  expect(await place.watched.count(OWNER)).toMatchObject({ total: 3, due: 0, withoutList: 0 });
  expect((await place.alerts()).toSorted()).toEqual(['elsewhere new inv-1', 'named new inv-1', 'new new inv-1']);
});

it('delays screening while lists are being loaded or fetched from other machines', async () => {
  let isCompared = false;
  const place = await prepareWatching({ isCompared: () => isCompared });
  await place.publish('south', [TORVALD], '1');
  const id = await place.watch({ reference: 'named', subject: { name: 'Torvald Eskeland' } });
  await place.watch({ reference: 'any', subject: { name: 'Nobody Whatsoever' }, dataset: 'default' });
  await place.work();
  expect((await look(place, id)).state).toBe('due');
  expect(await place.watched.count(OWNER)).toMatchObject({ total: 2, due: 2, withoutList: 0 });
  await place.publish('north', [TORVALD], '1');
  isCompared = true;
  await expect.poll(() => place.shared.catalogue.progress()).toBe('ready');
  place.clock.advance(60_000);
  await place.work();
  expect(await inState(place, 'screened')).toEqual(['any', 'named']);
  expect(await place.alerts()).toEqual(['named new inv-1']);
});
