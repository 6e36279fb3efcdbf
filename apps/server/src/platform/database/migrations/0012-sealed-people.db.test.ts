// A database whose keys, galleries, people and embeddings were written before their rows were sealed: they go on working, and not edited.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEarlierDatabase } from '#testing/database/earlier-database.ts';
import { TEST_MIGRATION_KEYS, TEST_SEALER } from '#testing/test-sealer.ts';
import { createPeopleStore } from '../../../core/people/store/people-store.ts';
import { ownerFrom } from '../../api-keys/owner.ts';
import { createApiKeyStore } from '../../api-keys/store.ts';
import { systemClock } from '../../clock.ts';
import { named, type PersonId } from '../../ids.ts';
import { migrate } from '../migrate.ts';

/** More than are signed by one statement. */
const PEOPLE = 1_001;
const BYTE = Buffer.of(1);
const OWNER = ownerFrom({ customer: named('c'), world: 'live' });

it('seals the rows that are there, however many, and no edited one counts from then on', async () => {
  const database = await openEarlierDatabase('0012');
  const { queries } = database;
  const seqs = Array.from({ length: PEOPLE }, (_, at) => at + 1);
  const numbered = (seq: number) => String(seq).padStart(8, '0');
  await database.transact(async (trx) => {
    await sql`insert into api_keys (id, lookup, sealed_key, kind, customer_id, status, when_created, last_updated)
      values ('k', ${BYTE}, ${BYTE}, 'live', 'c', 'active', 1, 1)`.execute(trx);
    await sql`insert into galleries
      (id, customer, world, model_version, dimensions, guid, version, log_floor, people, embeddings, tokens, created_at)
      values ('g', 'c', 'live', 'V', 1, 'guid', ${PEOPLE}, 0, ${PEOPLE}, ${PEOPLE}, 0, 1)`.execute(trx);
    const people = seqs.map((seq) => sql`(${`p${numbered(seq)}`}, 'g', ${`puid-${seq}`}, 1, 1)`);
    await sql`insert into people (id, gallery_id, puid, enroll_level, created_at) values ${sql.join(people)}`.execute(
      trx,
    );
    const embeddings = seqs.map((seq) => sql`('g', ${seq}, ${`e${seq}`}, ${`p${numbered(seq)}`}, ${BYTE})`);
    await sql`insert into embeddings (gallery_id, seq, id, person_id, sealed) values ${sql.join(embeddings)}`.execute(
      trx,
    );
  });
  expect(await migrate(database, systemClock, TEST_MIGRATION_KEYS)).toContain('0012-sealed-people');

  const edited: string[] = [];
  const log = { error: ({ table, row }: { table: string; row: string }) => void edited.push(`${table} ${row}`) };
  const keys = createApiKeyStore(database, TEST_SEALER, log);
  const store = createPeopleStore(database, TEST_SEALER, log);
  expect(await keys.findById('k')).toMatchObject({ kind: 'live', customer_id: 'c' });
  expect(await store.findGallery(OWNER, 'V', 1)).toMatchObject({ id: 'g', people: PEOPLE });
  const found = await store.findPeople('g', seqs);
  expect(found.sort((one, other) => one.seq - other.seq).map(({ puid }) => puid)).toEqual(
    seqs.map((seq) => `puid-${seq}`),
  );
  expect(edited).toEqual([]);

  await queries.updateTable('api_keys').set({ kind: 'test' }).execute();
  await queries
    .updateTable('embeddings')
    .set({ person_id: named(`p${numbered(2)}`) })
    .where('seq', '=', 1)
    .execute();
  await queries
    .updateTable('people')
    .set({ enroll_level: 2 })
    .where('id', '=', named<PersonId>(`p${numbered(3)}`))
    .execute();
  expect(await keys.findById('k')).toBeUndefined();
  expect((await store.findPeople('g', [1, 2, 3])).map(({ puid }) => puid)).toEqual(['puid-2']);
  await queries.updateTable('galleries').set({ people: 0 }).execute();
  expect(await store.findGallery(OWNER, 'V', 1)).toBeUndefined();
  expect(edited.sort()).toEqual(['api_keys k', 'embeddings e1', 'galleries g', `people p${numbered(3)}`]);
});
