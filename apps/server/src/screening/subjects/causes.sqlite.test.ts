// Every removed alert states its cause, so that a changed subject is not mistaken for a delisted
// one.

import { expect, it } from 'vitest';
import { override } from '#testing/override.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09');
const QUORVINA = createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01');
const MIRKO = createListedEntity('inv-3', 'Mirko Zantulgrave');
const named = (reference: string, name: string) => ({ reference, subject: { name } });

/** Returns the latest alert of a subject. */
async function lastOf(place: WatchingPlace, id: string) {
  const { row, content } = (await place.history(id)).at(-1)!;
  return 'match' in content
    ? { kind: row.kind, because: content.because, changes: content.changes, version: content.listVersion }
    : { kind: row.kind };
}

async function watchOn(place: WatchingPlace, ...given: Parameters<WatchingPlace['watch']>) {
  const id = await place.watch(...given);
  await place.work();
  expect(await lastOf(place, id)).toMatchObject({ kind: 'new' });
  return id;
}

it('names whether the list dropped or changed the entry, or was removed', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD, QUORVINA, MIRKO], '1');
  await place.follow();
  const delisted = await watchOn(place, named('q', 'Quorvina Belzanfer'));
  const changed = await watchOn(place, { ...named('t', 'Torvald Eskeland'), dataset: 'sanctions' });
  const left = await watchOn(place, named('m', 'Mirko Zantulgrave'));
  await place.publish('north', [{ ...TORVALD, topics: ['role.pep'] }, MIRKO], '2');
  await place.follow();
  expect(await lastOf(place, delisted)).toEqual({ kind: 'removed', because: ['delisted'], version: '2' });
  expect(await lastOf(place, changed)).toEqual({
    kind: 'removed',
    because: ['entry'],
    changes: [{ field: 'topics', removed: ['sanction'], added: ['role.pep'] }],
    version: '2',
  });
  await place.withdraw('north');
  await place.follow();
  expect(await lastOf(place, left)).toEqual({ kind: 'removed', because: ['list'], version: '1' });
});

it('names whether the subject, its threshold or its dataset was changed, and dates it in the history', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD, QUORVINA], '1');
  await place.publish('south', [MIRKO], '1');
  await place.follow();
  const kinds = async (id: string) => (await place.history(id)).map(({ row }) => row.kind);
  const changesOf = async (id: string) =>
    (await place.history(id)).flatMap(({ row, content }) =>
      row.kind === 'subject_changed' && 'changes' in content ? (content.changes ?? []) : [],
    );
  const torvald = { ...named('t', 'Torvald Eskelund'), callback: { url: 'https://bank.example/hush', headers: {} } };
  const id = await watchOn(place, torvald);

  await place.watch({ ...torvald, scoreThreshold: 1 });
  await place.work();
  expect(await lastOf(place, id)).toMatchObject({ kind: 'removed', because: ['threshold'] });
  await place.watch(torvald);
  await place.work();
  await place.watch({ ...torvald, dataset: 'south' });
  await place.work();
  expect(await lastOf(place, id)).toMatchObject({ kind: 'removed', because: ['dataset'] });
  await place.watch(torvald);
  await place.work();
  await place.watch(named('t', 'Nobody Whatsoever'));
  await place.work();
  expect(await lastOf(place, id)).toMatchObject({ kind: 'removed', because: ['subject'] });

  expect(await kinds(id)).toEqual([
    'new',
    ...['subject_changed', 'removed', 'subject_changed', 'new'],
    ...['subject_changed', 'removed', 'subject_changed', 'new'],
    ...['subject_changed', 'removed'],
  ]);
  expect(await changesOf(id)).toEqual([
    { field: 'scoreThreshold', removed: ['0.85'], added: ['1'] },
    { field: 'scoreThreshold', removed: ['1'], added: ['0.85'] },
    { field: 'dataset', removed: ['north'], added: ['south'] },
    { field: 'dataset', removed: ['south'], added: ['north'] },
    { field: 'name', removed: ['Torvald Eskelund'], added: ['Nobody Whatsoever'] },
    // An alert address is recorded only as changed.
    { field: 'callback', removed: [], added: [] },
  ]);
});

it('names whether a match became stronger or weaker by a change of the subject', async () => {
  const place = await prepareWatching();
  await place.publish('north', [TORVALD], '1');
  await place.follow();
  const id = await watchOn(place, { reference: 't', subject: { name: 'Torvald Eskeland', birthDate: '1961-04-09' } });
  await place.watch({
    ...{ reference: 't', scoreThreshold: 0.6 },
    subject: { name: 'Torvald Eskeland', birthDate: '1974-01-01' },
  });
  await place.work();
  expect(await lastOf(place, id)).toMatchObject({ kind: 'changed', because: ['strength', 'subject'] });
});

it('screens again if a list is switched between the search and the cause lookup', async () => {
  let onEntries: (() => Promise<void>) | undefined;
  const place = await prepareWatching({
    between: (tables) => ({
      ...tables,
      pool: override(tables.pool, {
        openLane(editions) {
          const lane = tables.pool.openLane(editions);
          const run: typeof lane.run = async (make) => {
            const done = await lane.run(make);
            const then = onEntries;
            onEntries = undefined;
            await then?.();
            return done;
          };
          return { ...lane, run };
        },
      }),
    }),
  });
  await place.publish('north', [TORVALD], '1');
  await place.follow();
  const id = await watchOn(place, named('t', 'Torvald Eskeland'));
  await place.watch(named('t', 'Nobody Whatsoever'));
  onEntries = () => place.publish('north', [QUORVINA], '2');
  expect(await place.screen(id)).toEqual([id]);
  expect(await lastOf(place, id)).toEqual({ kind: 'subject_changed' });
  expect(await place.screen(id)).toEqual([]);
  expect(await lastOf(place, id)).toMatchObject({ kind: 'removed', because: ['delisted'], version: '2' });
});
