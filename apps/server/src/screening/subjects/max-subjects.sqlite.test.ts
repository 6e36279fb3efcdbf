// MAX_SUBJECTS limits a customer's subjects per world. Live subjects are screened before test
// subjects.

import { expect, it } from 'vitest';
import { override } from '#testing/override.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';
import type { Owner } from '../../platform/api-keys/owner.ts';
import { completeContent } from './contents.ts';
import { ENGINE } from './engine.ts';
import { importSubjects } from './import/run.ts';

const TEST = testOwner('a bank');
const contentOf = (reference: string, name = 'Torvald Eskeland') =>
  completeContent({ reference, subject: { name }, dataset: 'north' });
const put = ({ watched }: WatchingPlace, owner: Owner, reference: string, name?: string) =>
  watched.puts.put(owner, 'a key', contentOf(reference, name));
const countOf = async ({ watched }: WatchingPlace, owner: Owner) => (await watched.count(owner)).total;

function bring({ watched }: WatchingPlace, owner: Owner, references: readonly string[]) {
  const lines = references.map((reference) => JSON.stringify({ reference, name: 'A Bert', dataset: 'north' }));
  return importSubjects(watched.puts, {
    input: (async function* () {
      yield Buffer.from(lines.join('\n'));
    })(),
    ...{ format: 'ndjson', owner, apiKeyId: 'a key', defaults: {} },
    requireDataset: async () => {},
  });
}

it('refuses new subjects with 507 under concurrency, and accepts one for each deleted', async () => {
  const place = await prepareWatching({ maxSubjects: 3 });
  const puts = await Promise.allSettled(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((reference) => put(place, OWNER, reference)),
  );
  expect(puts.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(puts.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: {
      code: 'store_full',
      message: expect.stringMatching(/^There are 3 watched subjects, the maximum; delete some first/),
    },
  });
  const [one] = await place.watched.list(OWNER, { limit: 1, before: undefined });
  // Changing a watched subject still works.
  const changed = await put(place, OWNER, one!.content.reference, 'Somebody Else');
  expect(changed).toMatchObject({ isNew: false, watched: { content: { subject: { name: 'Somebody Else' } } } });
  await expect(put(place, OWNER, 'g')).rejects.toThrow('maximum');
  await place.unwatch(one!.row.id);
  await put(place, OWNER, 'g');
  await expect(put(place, OWNER, 'h')).rejects.toThrow('maximum');
  // Another process counts the existing rows; another customer has its own limit.
  place.upgrade(ENGINE);
  await expect(put(place, OWNER, 'h')).rejects.toThrow('maximum');
  await put(place, liveOwner('another bank'), 'h');
  expect(await countOf(place, OWNER)).toBe(3);
});

it('counts each world separately', async () => {
  const place = await prepareWatching({ maxSubjects: 2 });
  for (const reference of ['a', 'b']) await put(place, TEST, reference);
  await expect(put(place, TEST, 'c')).rejects.toThrow('There are 2 watched subjects');
  await put(place, OWNER, 'c');
});

it('imports as many lines as fit, and names the others', async () => {
  const place = await prepareWatching({ maxSubjects: 4 });
  await put(place, OWNER, 'a');
  const counts = await bring(place, OWNER, ['b', 'a', 'c', 'b', 'd', 'e', 'f']);
  expect(counts).toMatchObject({ added: 3, changed: 1, unchanged: 1, refused: 2 });
  const message = expect.stringMatching(/maximum number of subjects is reached; delete some first/);
  expect(counts.problems).toEqual([
    { line: 6, message },
    { line: 7, message },
  ]);
  expect(await countOf(place, OWNER)).toBe(4);
});

it('refuses an import as a whole with 507 if there is no room for any line', async () => {
  const place = await prepareWatching({ maxSubjects: 1 });
  await put(place, OWNER, 'a');
  await expect(bring(place, OWNER, ['b', 'c'])).rejects.toMatchObject({
    code: 'store_full',
    message: expect.stringMatching(/^No line was taken\./),
  });
  expect(await bring(place, OWNER, ['b', 'a'])).toMatchObject({ changed: 1, refused: 1 });
});

it('screens live subjects before those of test keys, whatever the reason', async () => {
  const order: string[] = [];
  let noting = false;
  const worlds = new Map<string, string>();
  const place = await prepareWatching({
    isWorthIt: (changes) => changes === 1,
    between: (tables) => ({
      ...tables,
      store: override(tables.store, {
        holdAll(trx, ids) {
          if (noting) order.push(...ids.map((id) => worlds.get(id)!));
          return tables.store.holdAll(trx, ids);
        },
      }),
    }),
  });
  const entity = createListedEntity('n-1', 'Torvald Eskeland');
  await place.publish('north', [entity], '1');
  await place.follow();
  for (const [owner, world] of [
    [TEST, 'test'],
    [OWNER, 'live'],
  ] as const)
    for (const reference of ['a', 'b']) worlds.set((await put(place, owner, reference)).watched.row.id, world);
  await place.work();
  // A subject may be written twice, because removed hits are looked up in between.
  const screenedIn = async (): Promise<string> => {
    order.length = 0;
    noting = true;
    expect(await place.follow()).toBe(4);
    noting = false;
    return order.join(' ');
  };
  // A new engine; a change that is looked up; a change for which everyone is screened.
  place.upgrade({ version: 'next', number: ENGINE.number + 1 });
  expect(await screenedIn()).toMatch(/^(live ?)+( ?test)+$/);
  await place.publish('north', [{ ...entity, birthDates: ['1961-04-09'] }], '2');
  expect(await screenedIn()).toMatch(/^(live ?)+( ?test)+$/);
  await place.publish(
    'north',
    [createListedEntity('n-2', 'Torvald Eskeland'), createListedEntity('n-3', 'Torvald Eskeland')],
    '3',
  );
  expect(await screenedIn()).toMatch(/^(live ?)+( ?test)+$/);
});
