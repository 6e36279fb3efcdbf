// Lists are locked while outcomes are written, so that a switch waits.

import { PATIENCE } from '@limen/testing/patience.ts';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { override } from '#testing/override.ts';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching } from '#testing/screening/watching-place.ts';

it('delays a list switch between the search and the write until after the write', async () => {
  let onHeld: (() => Promise<void>) | undefined;
  const place = await prepareWatching({
    between: (tables) => ({
      ...tables,
      worked: override(tables.worked, {
        async hold(trx) {
          const rows = await tables.worked.hold(trx);
          const then = onHeld;
          onHeld = undefined;
          await then?.();
          return rows;
        },
      }),
    }),
  });
  const { database, worked } = place;
  await place.publish('north', [createListedEntity('inv-1', 'Torvald Eskeland')], '1');
  await place.follow();
  const row = (await worked.all()).find(({ name }) => name === 'north');
  const id = await place.watch({ reference: 't', subject: { name: 'Torvald Eskeland' } });

  let switched: Promise<number> | undefined;
  let isSwitched = false;
  onHeld = async () => {
    // Not awaited, because it ends only after the transaction that continues here.
    switched = database.transact(async (trx) => {
      await worked.record(trx, { ...row!, content: 'newer', built_at: row!.built_at + 1 });
      isSwitched = true;
      return (await trx.selectFrom('watched_hits').select('id').execute()).length;
    });
    if (database.engine === 'postgres')
      await vi.waitFor(async () => expect(isSwitched || (await isOneWaiting())).toBe(true), PATIENCE);
  };
  const isOneWaiting = async () => {
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await waiting.execute(database.queries)).rows.length > 0;
  };
  expect(await place.screen(id)).toEqual([]);
  // The hit in the old list was written before the new version; it is not written anymore now.
  expect(await switched).toBe(1);
  expect(await place.screen(id)).toEqual([id]);
  expect((await place.watched.find(OWNER, id)).hitCount).toBe(1);
});
