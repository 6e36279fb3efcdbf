// A database of the version before takes the tables of face tokens, with everything that was in it.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS } from '#testing/test-sealer.ts';
import { systemClock } from '../../clock.ts';
import { migrate } from '../migrate.ts';

it('keeps galleries, people and sessions of an earlier version, without a token and confirmed', async () => {
  const database = await openEarlierDatabase('0007');
  await database.transact(async (trx) => {
    await sql`insert into galleries (id, customer, model_version, dimensions, guid, version, log_floor, people, embeddings, created_at)
      values ('g', 'c', 'FACE3_1', 128, 'guid', 5, 0, 1, 1, 1)`.execute(trx);
    await sql`insert into people (id, gallery_id, puid, enroll_level, created_at) values ('p', 'g', 'puid', 1, 1)`.execute(
      trx,
    );
    await sql`insert into sessions (id, kind, token_lookup, customer, api_key_id, state, created_at, expires_at, sealed)
      values ('s', 'age', ${Buffer.of(1)}, 'c', 'k', 'created', 1, 2, ${Buffer.of(2)})`.execute(trx);
  });
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0007-face-tokens');
  const { queries } = database;
  expect(await queries.selectFrom('galleries').select(['version', 'tokens', 'token_epoch']).execute()).toEqual([
    { version: 5, tokens: 0, token_epoch: null },
  ]);
  expect(await queries.selectFrom('people').select(['id', 'provisional_session']).execute()).toEqual([
    { id: 'p', provisional_session: null },
  ]);
  expect(await queries.selectFrom('sessions').select(['id', 'person_id']).execute()).toEqual([
    { id: 's', person_id: null },
  ]);
});
