// The history of a subject is read page by page: complete, in order, and without blocking others.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching, type WatchingPlace } from '#testing/screening/watching-place.ts';
import { tables } from '../tables.ts';

const ROWS = 250;
let place: WatchingPlace;
beforeAll(async () => {
  place = await prepareWatching({ atEnd: afterAll });
});

/** Watches a subject with one alert, and appends many more history rows with the same content. */
async function watchWithHistory(list: string) {
  await place.publish(list, [createListedEntity('inv-1', 'Torvald Eskeland')], '1');
  await place.follow();
  const id = await place.watch({ reference: list, dataset: list, subject: { name: 'Torvald Eskeland' } });
  await place.work();
  const { sealer, ids } = place.shared;
  const { row, content } = (await place.history(id))[0]!;
  await place.database.transact(async (trx) => {
    for (let nth = 1; nth < ROWS; nth += 1) {
      const bound = { ...row, id: ids.sortable(), kind: 'refreshed' as const };
      await place.store.insertAlert(trx, {
        ...bound,
        sealed: sealer.sealJson(content, tables.screening_alerts.places.sealed(bound)),
      });
    }
  });
  return place.watched.find(OWNER, id);
}

it('yields the event loop after each page of a long history', async () => {
  const pages: string[][] = [];
  let hadTurn = true;
  for await (const page of place.watched.history(await watchWithHistory('north'))) {
    expect(hadTurn).toBe(true);
    hadTurn = false;
    setImmediate(() => {
      hadTurn = true;
    });
    pages.push(page.map(({ row }) => row.id));
  }
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(pages.flat()).toEqual([...new Set(pages.flat())].toSorted());
});

it('fails if the subject is deleted during the read, and is not treated as complete', async () => {
  const watched = await watchWithHistory('south');
  const history = place.watched.history(watched);
  expect((await history.next()).done).toBe(false);
  await place.unwatch(watched.row.id);
  await expect(history.next()).rejects.toThrow('deleted');
});
