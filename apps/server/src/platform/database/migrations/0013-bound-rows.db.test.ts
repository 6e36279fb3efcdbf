// A database of an earlier version: its webhooks go out, bound to their owner from then on, and nothing writes a row without a seal.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS, TEST_SEALER } from '#testing/test-sealer.ts';
import { sealedPlace } from '../../../core/webhooks/read-sendable.ts';
import { systemClock } from '../../clock.ts';
import { named } from '../../ids.ts';
import { migrate } from '../migrate.ts';

it('binds webhooks that have not been sent to their columns, and leaves what does not open', async () => {
  const database = await openEarlierDatabase('0013');
  const insert = (id: string, sealed: Uint8Array | null) =>
    sql`insert into webhook_deliveries (id, customer, world, api_key_id, session_id, target, state, round, attempts,
      attempts_before, created_at, purge_at, sealed)
      values (${id}, 'c', 'live', 'key', 's', 'https://a.example', 'pending', 1, 0, 0, 1, 1, ${sealed})`.execute(
      database.queries,
    );
  await insert('w1', TEST_SEALER.seal(Buffer.from('body'), 'webhook_deliveries/sealed/w1'));
  await insert('w2', Buffer.of(1));
  await insert('w3', null);
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0013-bound-rows');
  const [bound, ...rest] = await database.queries.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();
  expect(TEST_SEALER.open(bound!.sealed!, sealedPlace(bound!)).toString()).toBe('body');
  expect(() => TEST_SEALER.open(bound!.sealed!, sealedPlace({ ...bound!, customer: named('d') }))).toThrow();
  expect(rest.map(({ sealed }) => sealed && [...sealed])).toEqual([[1], null]);
});

it('keeps a process of an earlier version from writing rows without a seal, which would count as edited', async () => {
  const database = await openEarlierDatabase('0013');
  const insert = () =>
    sql`insert into galleries
      (id, customer, world, model_version, dimensions, guid, version, log_floor, people, embeddings, tokens, created_at)
      values ('g', 'c', 'live', 'V', 1, 'guid', 0, 0, 0, 0, 0, 1)`.execute(database.queries);
  await migrate(database, systemClock, TEST_MIGRATION_KEYS);
  await expect(insert()).rejects.toThrow(/without a seal|violates not-null constraint/);
});
