// How a session ended moves to a column of its own: sessions are found by it whichever version ended them, before the contract and after.
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS } from '#testing/test-sealer.ts';
import { createSessionStore, type SessionRow } from '../../../core/sessions/store.ts';
import { systemClock } from '../../clock.ts';
import { named, type SessionId } from '../../ids.ts';
import { migrate } from '../migrate.ts';

it('finds what the version before ended, as long as that may run and after', async () => {
  const database = await openEarlierDatabase('0049');
  await migrate(database, systemClock, TEST_MIGRATION_KEYS);
  const store = createSessionStore(database);
  /** `writes`: what a version writes when it ends one. */
  const add = async (id: string, writes: Partial<SessionRow>) => {
    const names = {
      id: named<SessionId>(id),
      kind: 'age',
      customer: named('c'),
      world: 'live',
      api_key_id: 'k',
    } as const;
    const times = { created_at: 1, expires_at: 9, ended_at: null, purge_at: null };
    const rest = { sealed: Buffer.of(1), outcome: null, person_id: null, end_state: null };
    const row = { ...names, ...times, ...rest, token_lookup: Buffer.from(id), state: 'created', ...writes } as const;
    await database.transact((trx) => store.insert(trx, row));
  };
  const listed = async (state: SessionRow['state']) =>
    (await store.list({ state, marks: [], limit: 9 }, 2)).map(({ id }) => id as string);

  await add('before', { state: 'completed', ended_at: 2 });
  await add('now', { state: 'completed', ended_at: 2, end_state: 'completed' });
  await add('cancelled', { state: 'cancelled', ended_at: 2 });
  await add('open', {});
  expect(await listed('completed')).toEqual(['now', 'before']);
  expect(await listed('cancelled')).toEqual(['cancelled']);

  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS, { contract: true })).toContain('0052-hot-sessions');
  expect(await listed('completed')).toEqual(['now', 'before']);
  expect(await listed('cancelled')).toEqual(['cancelled']);
  expect(await listed('created')).toEqual(['open']);
});
