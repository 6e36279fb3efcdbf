// A database whose devices, passkeys and sessions were written before their rows were sealed: they go on working, and not edited.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS, TEST_SEALER } from '#testing/test-sealer.ts';
import { systemClock } from '../../clock.ts';
import { named, type SessionId } from '../../ids.ts';
import { createRowSeal } from '../../sealing/row-seal.ts';
import { migrate } from '../migrate.ts';
import type { Schema } from '../schema.ts';

const ENDED = { id: 's2', state: 'completed', ended_at: 3, purge_at: 9, person_id: 'p' };

it('seals the rows that are there, binds sessions to their columns, and cuts targets to their origin', async () => {
  const database = await openEarlierDatabase('0009');
  const seal = (text: string, where: string) => TEST_SEALER.seal(Buffer.from(text), where);
  await database.transact(async (trx) => {
    await sql`insert into galleries
      (id, customer, world, model_version, dimensions, guid, version, log_floor, people, embeddings, tokens, created_at)
      values ('g', 'c', 'live', 'V', 1, 'guid', 0, 0, 1, 0, 0, 1)`.execute(trx);
    await sql`insert into people (id, gallery_id, puid, enroll_level, created_at) values ('p', 'g', 'puid', 0, 1)`.execute(
      trx,
    );
    await sql`insert into person_devices
      (id, customer, world, person_id, public_key, local_uses, vouched, created_at, last_used_at)
      values ('d', 'c', 'live', 'p', ${Buffer.of(1)}, 2, 1, 1, 1)`.execute(trx);
    await sql`insert into passkeys
      (credential_id, customer, world, person_id, public_key, counter, transports, vouched, created_at, last_used_at)
      values ('k', 'c', 'live', 'p', ${Buffer.of(2)}, 2, '[]', 1, 1, 1)`.execute(trx);
    for (const id of ['s1', 's2']) {
      await sql`insert into sessions
        (id, kind, token_lookup, customer, world, api_key_id, state, created_at, expires_at, sealed)
        values (${id}, 'age', ${Buffer.from(id)}, 'c', 'live', 'key', 'created', 1, 2, ${seal(id, `sessions/sealed/${id}`)})`.execute(
        trx,
      );
    }
    const outcome = seal('outcome', 'sessions/outcome/s2');
    const { id, ...end } = ENDED;
    await trx
      .updateTable('sessions')
      .set({ ...end, outcome } as never)
      .where('id', '=', named<SessionId>(id))
      .execute();
    await sql`insert into webhook_deliveries
      (id, customer, world, api_key_id, session_id, target, state, round, attempts, attempts_before, created_at, purge_at)
      values ('w', 'c', 'live', 'key', 's2', 'https://a.example:8443/secret/path', 'dead', 1, 1, 0, 1, 1)`.execute(trx);
  });
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0009-at-rest');

  const { queries } = database;
  for (const table of ['person_devices', 'passkeys'] as const) {
    const row = await queries.selectFrom(table).selectAll().executeTakeFirstOrThrow();
    const rowSeal = createRowSeal<Schema[typeof table]>(TEST_SEALER, table);
    expect(rowSeal.holds(row as never)).toBe(true);
    expect(rowSeal.holds({ ...row, vouched: 0 } as never)).toBe(false);
  }
  for (const row of await queries.selectFrom('sessions').selectAll().execute()) {
    const bound = JSON.stringify([row.id, 'age', 'c', 'live', 'key', 1, 2]);
    expect(TEST_SEALER.open(row.sealed, `sessions/sealed/${bound}`).toString()).toBe(row.id);
    if (row.id !== ENDED.id) continue;
    const end = JSON.stringify(Object.values(ENDED));
    expect(TEST_SEALER.open(row.outcome!, `sessions/outcome/${end}`).toString()).toBe('outcome');
  }
  expect(await queries.selectFrom('webhook_deliveries').select('target').execute()).toEqual([
    { target: 'https://a.example:8443' },
  ]);
});
