// A database from before there were two worlds: everything in it goes to the world of the keys that made it.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS } from '#testing/test-sealer.ts';
import { systemClock } from '../../clock.ts';
import type { Transaction } from '../database.ts';
import { migrate } from '../migrate.ts';

/** Customers of every kind: with live and test keys, with test keys only, by a key's own id, and without a key. */
const KEYS = [
  { id: 'k-live', kind: 'live', customer: 'both' },
  { id: 'k-test', kind: 'test', customer: 'both' },
  { id: 'k-trial', kind: 'test', customer: 'trial' },
  { id: 'k-dev', kind: 'development', customer: null },
] as const;
const CUSTOMERS = ['both', 'trial', 'k-dev', 'keyless'];
const BYTE = Buffer.of(1);

it('gives sessions, deliveries, people, passkeys, devices, strings and stored replies their world', async () => {
  const database = await openEarlierDatabase('0008');
  await database.transact(writeRows);
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0008-worlds');
  const { queries } = database;

  const galleries = await queries.selectFrom('galleries').selectAll().orderBy('id').execute();
  expect(Object.fromEntries(galleries.map(({ customer, world }) => [customer, world]))).toEqual({
    both: 'live',
    trial: 'test',
    'k-dev': 'test',
    keyless: 'live',
  });
  expect(galleries.find(({ customer }) => customer === 'both')).toMatchObject({
    guid: 'guid-both',
    version: 7,
    log_floor: 1,
    people: 2,
    embeddings: 3,
    tokens: 4,
    token_epoch: 'epoch',
  });
  expect(await queries.selectFrom('people').select('id').execute()).toHaveLength(CUSTOMERS.length);
  for (const table of ['passkeys', 'person_devices'] as const) {
    const rows = await queries.selectFrom(table).select(['customer', 'world']).execute();
    expect(Object.fromEntries(rows.map(({ customer, world }) => [customer, world]))).toEqual({
      both: 'live',
      trial: 'test',
      'k-dev': 'test',
      keyless: 'live',
    });
  }
  for (const table of ['sessions', 'webhook_deliveries'] as const) {
    const rows = await queries.selectFrom(table).select(['api_key_id', 'world']).execute();
    expect(Object.fromEntries(rows.map((row) => [row.api_key_id, row.world]))).toEqual({
      'k-live': 'live',
      'k-test': 'test',
      'k-trial': 'test',
      'k-dev': 'test',
    });
  }
  const strings = await queries.selectFrom('strings').select('owner').orderBy('owner').execute();
  expect(strings.map(({ owner }) => owner)).toEqual(['', '@test/k-dev', '@test/trial', 'both', 'keyless']);
  const replies = await queries.selectFrom('idempotency_keys').select('resource').orderBy('resource').execute();
  expect(replies.map(({ resource }) => resource)).toEqual([
    ...['people/p-both', 'people/p-keyless', 'sessions/s-k-live', 'strings/both', 'strings/keyless', 'strings/open'],
  ]);
});

it('takes a gallery of each world for one customer, model and length, and no second one', async () => {
  const database = await openEarlierDatabase('0008');
  await database.transact(writeRows);
  await migrate(database, systemClock, TEST_MIGRATION_KEYS);
  const insert = (id: string, world: string) =>
    sql`insert into galleries (id, customer, world, model_version, dimensions, guid, version, log_floor, people, embeddings, tokens, created_at, mac)
      values (${id}, 'both', ${world}, 'FACE3_1', 128, ${id}, 0, 0, 0, 0, 0, 1, ${BYTE})`.execute(database.queries);
  await insert('test-gallery', 'test');
  await expect(insert('second', 'live')).rejects.toThrow();
  await expect(database.queries.deleteFrom('galleries').where('id', '=', 'g-both').execute()).rejects.toThrow();
});

async function writeRows(trx: Transaction): Promise<void> {
  for (const { id, kind, customer } of KEYS) {
    await sql`insert into api_keys (id, lookup, sealed_key, kind, customer_id, status, when_created, last_updated)
      values (${id}, ${Buffer.from(id)}, ${BYTE}, ${kind}, ${customer}, 'active', 1, 1)`.execute(trx);
    const owner = customer ?? id;
    await sql`insert into sessions (id, kind, token_lookup, customer, api_key_id, state, created_at, expires_at, sealed)
      values (${`s-${id}`}, 'age', ${Buffer.from(id)}, ${owner}, ${id}, 'created', 1, 2, ${BYTE})`.execute(trx);
    await sql`insert into webhook_deliveries
      (id, customer, api_key_id, session_id, target, state, round, attempts, attempts_before, created_at, purge_at)
      values (${`d-${id}`}, ${owner}, ${id}, ${`s-${id}`}, 'https://a.example', 'dead', 1, 1, 0, 1, 1)`.execute(trx);
    await reply(trx, `sessions/s-${id}`);
  }
  for (const customer of CUSTOMERS) {
    const [gallery, person] = [`g-${customer}`, `p-${customer}`];
    await sql`insert into galleries
      (id, customer, model_version, dimensions, guid, version, log_floor, people, embeddings, created_at, tokens, token_epoch)
      values (${gallery}, ${customer}, 'FACE3_1', 128, ${`guid-${customer}`}, 7, 1, 2, 3, 1, 4, 'epoch')`.execute(trx);
    await sql`insert into people (id, gallery_id, puid, enroll_level, created_at)
      values (${person}, ${gallery}, ${`puid-${customer}`}, 1, 1)`.execute(trx);
    await sql`insert into embeddings (gallery_id, seq, id, person_id, sealed)
      values (${gallery}, 1, ${`e-${customer}`}, ${person}, ${BYTE})`.execute(trx);
    await sql`insert into passkeys
      (credential_id, customer, person_id, public_key, counter, transports, vouched, created_at, last_used_at)
      values (${`c-${customer}`}, ${customer}, ${person}, ${BYTE}, 1, '[]', 1, 1, 1)`.execute(trx);
    await sql`insert into person_devices
      (id, customer, person_id, public_key, local_uses, vouched, created_at, last_used_at)
      values (${`v-${customer}`}, ${customer}, ${person}, ${BYTE}, 1, 1, 1, 1)`.execute(trx);
    await sql`insert into strings (owner, id, created_at, value) values (${customer}, ${customer}, 1, 'text')`.execute(
      trx,
    );
    await reply(trx, `people/${person}`);
    await reply(trx, `strings/${customer}`);
  }
  await sql`insert into strings (owner, id, created_at, value) values ('', 'open', 1, 'text')`.execute(trx);
  await reply(trx, 'strings/open');
}

async function reply(trx: Transaction, resource: string): Promise<void> {
  await sql`insert into idempotency_keys (scope, key_digest, request_digest, reply, resource, expires_at)
    values ('scope', ${Buffer.from(resource)}, ${BYTE}, ${BYTE}, ${resource}, 9)`.execute(trx);
}
