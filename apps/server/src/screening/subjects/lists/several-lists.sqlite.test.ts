// An entity on several lists is one hit. New data from any of them causes an alert and ends a
// decision.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching } from '#testing/screening/watching-place.ts';

const ON_NORTH = createListedEntity('NK-abc', 'Torvald Eskeland', '1961-04-09', { datasets: ['north'] });
const ON_SOUTH = createListedEntity('NK-abc', 'Eskeland, Torvald', '1961', {
  datasets: ['south'],
  programs: ['ANOTHER AUTHORITY'],
  identifiers: [{ kind: 'passportNumber', value: 'AB1234567' }],
});
const ELSE = createListedEntity('NK-else', 'Quorvina Belzanfer', '1980-12-01');

async function decideOnNorth(options?: Parameters<typeof prepareWatching>[0]) {
  const place = await prepareWatching(options);
  await place.publish('north', [ON_NORTH], '1');
  const id = await place.watch({ reference: 't', subject: { name: 'Torvald Eskeland' }, dataset: 'default' });
  await place.work();
  await place.follow();
  const hits = async () => (await place.watched.hits.list((await place.watched.find(OWNER, id)).row)) ?? [];
  const [hit] = await hits();
  const decision = { decision: 'not_this_subject' as const, reason: 'born elsewhere', author: 'ada' };
  await place.watched.hits.decide(OWNER, id, hit!.row.id, { ...decision, entryHash: hit!.entryHash });
  const decided = async () => (await hits()).map((hit) => hit.decided !== undefined);
  expect(await decided()).toEqual([true]);
  const told = async () => (await place.alerts()).slice(1);
  return { place, hits, decided, told };
}

it.each(onlyWhenLong([true, false], [true]))(
  'reports when a second list adds, changes or drops them (looked up: %s)',
  async (lookedUp) => {
    const { place, hits, decided, told } = await decideOnNorth({ isWorthIt: () => lookedUp });
    await place.publish('south', [ELSE], '1');
    await place.follow();
    expect([await told(), await decided()]).toEqual([[], [true]]);
    await place.publish('south', [ELSE, ON_SOUTH], '2');
    await place.follow();
    expect([await told(), await decided()]).toEqual([['t changed NK-abc'], [false]]);
    expect((await hits()).map(({ match }) => match.datasets)).toEqual([['north', 'south']]);
    await place.follow();
    expect(await told()).toHaveLength(1);
    await place.publish('south', [ELSE, { ...ON_SOUTH, programs: ['YET ANOTHER'] }], '3');
    await place.follow();
    await place.publish('south', [ELSE], '4');
    await place.follow();
    expect(await told()).toEqual(Array.from({ length: 3 }, () => 't changed NK-abc'));
    expect((await hits()).map(({ match }) => match.datasets)).toEqual([['north']]);
  },
);

it('sends an alert about a second list with its entry, its version and the new data', async () => {
  const { place, hits } = await decideOnNorth();
  const alert = async () => {
    const { content } = (await place.history((await hits())[0]!.row.subject_id)).at(-1)!;
    return 'match' in content ? content : undefined;
  };
  const both = { list: 'north', listVersion: '1', because: ['entry'], match: { datasets: ['north', 'south'] } };
  await place.publish('south', [ELSE, ON_SOUTH], '1');
  await place.follow();
  const came = await alert();
  expect(came).toMatchObject({
    ...both,
    changes: [{ field: 'datasets', removed: [], added: ['south'] }],
    others: [
      { list: 'south', listVersion: '1', entry: { caption: 'Eskeland, Torvald', programs: ['ANOTHER AUTHORITY'] } },
    ],
  });
  expect((await hits())[0]!.others).toEqual(came!.others);

  await place.publish('south', [ELSE, { ...ON_SOUTH, programs: ['YET ANOTHER'] }], '2');
  await place.follow();
  const changed = await alert();
  expect(changed).toMatchObject({
    ...both,
    before: { entryHash: came!.entryHash },
    changes: [{ field: 'programs', list: 'south', removed: ['ANOTHER AUTHORITY'], added: ['YET ANOTHER'] }],
    others: [{ list: 'south', listVersion: '2', entry: { programs: ['YET ANOTHER'] } }],
  });
  expect(changed!.entryHash).not.toBe(came!.entryHash);
  expect(changed!.others![0]!.entryHash).not.toBe(came!.others![0]!.entryHash);

  await place.publish('south', [ELSE], '3');
  await place.follow();
  expect(await alert()).toMatchObject({
    match: { datasets: ['north'] },
    changes: [{ field: 'datasets', removed: ['south'], added: [] }],
    others: [{ list: 'south', listVersion: '2', entry: { programs: ['YET ANOTHER'] } }],
  });
  expect((await hits())[0]!.others).toEqual([]);
});

it("combines one list's data with another list's name, as in a match, and shows each list separately", async () => {
  const place = await prepareWatching();
  const names = ['Torvald Eskeland', 'Zebulon Quist'];
  await place.publish('north', [{ ...ON_NORTH, names, countries: ['no'] }], '1');
  await place.publish('south', [{ ...ON_SOUTH, countries: ['us'] }], '1');
  const subject = { name: 'Zebulon Quist', countries: ['us'] };
  const id = await place.watch({ reference: 'z', subject, dataset: 'default' });
  await place.work();
  const [hit] = await place.watched.hits.list((await place.watched.find(OWNER, id)).row);
  expect(hit).toMatchObject({ list: 'north', match: { id: 'NK-abc', countries: ['no'] } });
  expect(hit!.match.score).toBeGreaterThan(0.95);
});

it('refuses a decision on data that a second list has changed', async () => {
  const { place, hits } = await decideOnNorth();
  await place.publish('south', [ON_SOUTH], '1');
  await place.follow();
  const [read] = await hits();
  await place.publish('south', [{ ...ON_SOUTH, programs: ['YET ANOTHER'] }], '2');
  await place.follow();
  const [now] = await hits();
  expect(now!.entryHash).not.toBe(read!.entryHash);
  const made = { decision: 'confirmed' as const, reason: 'the same', author: 'ada' };
  const decide = (entryHash: string) =>
    place.watched.hits.decide(OWNER, now!.row.subject_id, now!.row.id, { ...made, entryHash });
  await expect(decide(read!.entryHash)).rejects.toMatchObject({ code: 'entry_changed' });
  await decide(now!.entryHash);
});

it('reports a list that is read for the first time, and ends the decision', async () => {
  const { place, decided, told } = await decideOnNorth();
  await place.publish('south', [ON_SOUTH], '1');
  await place.follow();
  expect([await told(), await decided()]).toEqual([['t changed NK-abc'], [false]]);
});

it('creates a separate hit for another person with the same id on another list', async () => {
  const { place, hits, decided, told } = await decideOnNorth();
  const stranger = createListedEntity('NK-abc', 'Torvald Eskeland', '1999-09-09', { datasets: ['south'] });
  await place.publish('south', [stranger], '1');
  await place.follow();
  expect([await told(), (await decided()).toSorted()]).toEqual([['t new NK-abc'], [false, true]]);
  await place.publish('south', [{ ...stranger, programs: ['ANOTHER'] }], '2');
  await place.follow();
  await place.publish('south', [ELSE], '3');
  await place.follow();
  expect(await told()).toEqual(['t new NK-abc', 't changed NK-abc', 't removed NK-abc']);
  expect([(await hits()).length, await decided()]).toEqual([1, [true]]);
});

it('keeps the hit and its decision if an entry gets a new id and names the old one', async () => {
  const { place, hits, decided, told } = await decideOnNorth();
  await place.publish('north', [{ ...ON_NORTH, id: 'NK-merged', referents: ['NK-abc'] }], '2');
  await place.follow();
  expect([await told(), await decided()]).toEqual([[], [true]]);
  expect((await hits()).map(({ match }) => match.id)).toEqual(['NK-merged']);
  await place.publish('north', [{ ...ON_NORTH, id: 'NK-merged', referents: ['NK-abc'], programs: ['ANOTHER'] }], '3');
  await place.follow();
  expect([await told(), await decided()]).toEqual([['t changed NK-merged'], [false]]);
});
