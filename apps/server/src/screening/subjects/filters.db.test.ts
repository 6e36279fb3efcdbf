// Filters of subjects and alerts.
import type { ScreeningAlertPage, WatchedHits, WatchedSubjectPage } from '@limen/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { newWatchingHost, useWatchingApp, type WatchingHost } from '#testing/screening/watching-app.ts';

const room = useWatchingApp({
  north: [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09'),
    createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01'),
  ],
});
const ESKELAND = { reference: 'a', name: 'Torvald Eskeland', dataset: 'north', scoreThreshold: 0.5 };

const SUBJECTS = '/v2/screening/subjects';
const ALERTS = '/v2/screening/alerts';

const named = async (host: WatchingHost, query: string) => {
  const { body } = await host.call<WatchedSubjectPage>('GET', `${SUBJECTS}?${query}`);
  return body.subjects.map(({ reference }) => reference);
};
const told = async (host: WatchingHost, query: string) => {
  const { body } = await host.call<ScreeningAlertPage>('GET', `${ALERTS}?${query}`);
  return body.alerts.map(({ kind, reference }) => `${kind} ${reference}`);
};

it('filters subjects by state and by open hits, and alerts by kind and time', async () => {
  const host = await newWatchingHost(room);
  const first = await host.watch(ESKELAND);
  await host.watch({ reference: 'b', name: 'Quorvina Belzanfer', dataset: 'north' });
  await host.watch({ reference: 'c', name: 'Somebody Else Entirely', dataset: 'north' });
  expect([await named(host, 'state=due'), await named(host, 'hits=none')]).toEqual([
    ['c', 'b', 'a'],
    ['c', 'b', 'a'],
  ]);
  await room.work();
  expect([await named(host, 'state=due'), await named(host, 'state=screened&limit=2')]).toEqual([[], ['c', 'b']]);
  expect([await named(host, 'hits=open'), await named(host, 'hits=none')]).toEqual([['b', 'a'], ['c']]);

  const [hit] = (await host.call<WatchedHits>('GET', `${SUBJECTS}/${first}/hits`)).body.hits;
  const decision = { decision: 'confirmed', reason: 'r', author: 'a', entryHash: hit!.entryHash };
  await host.call('POST', `${SUBJECTS}/${first}/hits/${hit!.id}/decision`, decision);
  expect([await named(host, 'hits=open'), await named(host, 'hits=decided')]).toEqual([['b'], ['a']]);

  // A decision lapses when the match gets weaker. A match that is gone is removed.
  room.clock.advance(60_000);
  const since = new Date(room.clock.now()).toISOString();
  expect(await told(host, `since=${since}`)).toEqual([]);
  await host.watch({ ...ESKELAND, birthDate: '1990-01-01' });
  await host.watch({ reference: 'b', name: 'Nobody At All', dataset: 'north' });
  await room.work();
  expect(await named(host, 'hits=none')).toEqual(['c', 'b']);
  expect([await named(host, 'hits=open'), await named(host, 'hits=decided')]).toEqual([['a'], []]);
  expect((await told(host, `since=${since}`)).toSorted()).toEqual(['changed a', 'removed b']);
  // Subjects added together are screened in any order.
  expect((await told(host, 'kind=new')).toSorted()).toEqual(['new a', 'new b']);
  expect(await told(host, `kind=changed&subjectId=${first}`)).toEqual(['changed a']);
});

it('omits edited rows from lists, and fills their pages with the rest', async () => {
  const [host, stranger] = [await newWatchingHost(room), await newWatchingHost(room)];
  const first = await host.watch(ESKELAND);
  for (const reference of ['b', 'c']) await host.watch({ ...ESKELAND, reference });
  await room.work();
  const moved = await stranger.watch({ ...ESKELAND, reference: 'moved' });
  await room.work();
  const { queries } = room.app.database;
  const owner = queries.selectFrom('watched_subjects').select(['customer', 'world']).where(sql.ref('id'), '=', first);
  const own = await owner.executeTakeFirstOrThrow();
  await queries.updateTable('watched_subjects').set(own).where(sql.ref('id'), '=', moved).execute();
  await queries.updateTable('screening_alerts').set(own).where(sql.ref('subject_id'), '=', moved).execute();
  expect([await named(host, 'limit=2'), await named(host, '')]).toEqual([
    ['c', 'b'],
    ['c', 'b', 'a'],
  ]);
  expect((await told(host, '')).toSorted()).toEqual(['new a', 'new b', 'new c']);
  expect((await host.call('GET', `${SUBJECTS}/${moved}`)).status).toBe(404);
});

it.each([
  [`${SUBJECTS}?reference=a`, /reference/],
  [`${SUBJECTS}?hits=some`, /must be one of open, decided, none/],
  [`${ALERTS}?kind=decision`, /must be one of new, changed, removed/],
  [`${ALERTS}?since=yesterday`, /query\.since/],
  [`${ALERTS}?subjectId=zzz`, /query\.subjectId must be the id of a subject/],
  [`${ALERTS}?reference=a`, /reference/],
])('refuses %s', async (path, says) => {
  const host = await newWatchingHost(room);
  const { status, text } = await host.call('GET', path);
  expect([status, text]).toEqual([400, expect.stringMatching(says)]);
});
