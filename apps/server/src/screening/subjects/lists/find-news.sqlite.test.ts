// Evidence names the compared list versions and the engine, even if nothing was found.
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching } from '#testing/screening/watching-place.ts';
import { ENGINE } from '../engine.ts';

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09');
const QUORVINA = createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01');

it('names the lists with their versions, the date since which each is compared, and the engine', async () => {
  const place = await prepareWatching({ isWorthIt: () => true });
  const moment = () => new Date(place.clock.now()).toISOString();
  await place.publish('north', [TORVALD], '1');
  await place.publish('south', [TORVALD], '1');
  await place.follow();
  const id = await place.watch({ reference: 'n', subject: { name: 'Nobody Whatsoever' }, dataset: 'default' });
  const look = async () => place.watched.screening(await place.watched.find(OWNER, id));
  const toCompare = (name: string, version: string) => ({ name, version });
  expect(await look()).toEqual({ lists: [toCompare('north', '1'), toCompare('south', '1')] });

  place.clock.advance(60_000);
  const screenedAt = moment();
  await place.work();
  const compared = { screenedAt, engineVersion: ENGINE.version };
  const north = { name: 'north', version: '1', comparedAt: screenedAt };
  expect(await look()).toEqual({ ...compared, lists: [north, { ...north, name: 'south' }] });

  // A version that affects only others counts as compared once the walk has finished, not earlier.
  place.clock.advance(60_000);
  await place.publish('south', [TORVALD, QUORVINA], '2');
  expect((await look()).lists[1]).toMatchObject({ version: '1' });
  expect(await place.follow()).toBe(0);
  expect(await look()).toEqual({
    ...compared,
    lists: [north, { name: 'south', version: '2', comparedAt: moment() }],
  });

  // A new list is named, and counts as compared once the walk has finished.
  await place.publish('west', [QUORVINA], '1');
  expect((await look()).lists[2]).toEqual(toCompare('west', '1'));
  await place.follow();
  expect((await look()).lists[2]).toEqual({ name: 'west', version: '1', comparedAt: moment() });
});

it('names no list if there is none left', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD], '1');
  const id = await place.watch({ reference: 'n', subject: { name: 'Nobody Whatsoever' } });
  await place.work();
  await place.follow();
  await place.withdraw('north');
  await place.follow();
  expect((await place.watched.screening(await place.watched.find(OWNER, id))).lists).toEqual([]);
});
