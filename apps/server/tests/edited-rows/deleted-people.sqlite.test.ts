// People whose row or gallery was edited can still be deleted.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { type Row, readRows } from '#testing/edited-rows/edit-rows.ts';
import { NO_LOG, OWNER, OWNERS, openTokenPlace, openWithPeople } from '#testing/edited-rows/places.ts';
import { openPeopleProcess } from '#testing/processes/people-process.ts';
import { addPerson, openTokenProcess } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../packages/token/testing/vectors.ts';
import { createPeopleStore } from '../../src/faces/galleries/store/people.ts';
import { createProvisionalPeople } from '../../src/faces/galleries/store/provisional-people.ts';
import { named, type PersonId, type SessionId } from '../../src/platform/base/ids.ts';

describe('a person whose row or gallery was edited', () => {
  it("is still deleted with their face, by the columns' values, and no row is sealed again", async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const { database, people, store } = await openPeopleProcess(place);
    const modelVersion = 'FACE3_1';
    const face = Float32Array.from({ length: 128 }, (_, i) => (i === 0 ? 1 : 0));
    const edits: [table: 'people' | 'galleries', changes: Row][] = [
      ['people', { created_at: 5 }],
      ['people', { enroll_level: 7 }],
      ['people', { provisional_session: 'another' }],
      ['people', { mac: Buffer.alloc(32) }],
      ['galleries', { embeddings: 7 }],
      ['galleries', { version: 0 }],
    ];
    for (const [table, changes] of edits) {
      const edit = `${table} ${JSON.stringify(changes)}`;
      const { puid, personId } = await people.enrol({ owner: OWNER, modelVersion, vectors: [face] });
      const [before] = await readRows(database, table);
      const id = before!['id'] as string;
      const set = (values: Row) =>
        database.queries
          .updateTable(table)
          .set(values as never)
          .where('id', '=', id)
          .execute();
      await set(changes);
      for (const owner of OWNERS.slice(1)) expect(await people.remove(owner, puid), edit).toBe(false);
      expect(await people.remove(OWNER, puid), edit).toBe(true);
      expect(await people.remove(OWNER, puid), edit).toBe(false);
      for (const rows of [await readRows(database, 'people'), await readRows(database, 'embeddings')])
        expect(rows, edit).toEqual([]);
      expect(personId).toBeDefined();
      const gallery = await store.findGallery(OWNER, modelVersion, face.length);
      if (table === 'people') expect(gallery, edit).toMatchObject({ people: 0, embeddings: 0 });
      else expect(gallery, edit).toBeUndefined();
      if (table === 'galleries') await set(before!);
    }
  });

  it('is deleted with the session that was enrolling them', async () => {
    const { database, sealer, clock, victim } = await openWithPeople();
    const store = createPeopleStore(database, sealer, NO_LOG);
    const [{ gallery_id }] = (await readRows(database, 'people')) as [{ gallery_id: string }];
    const settleTokens = async () => {};
    const provisional = createProvisionalPeople({ database, store, clock, settleTokens });
    const session = named<SessionId>('s');
    const rest = { identifier_digest: null, enroll_level: 0, created_at: 1, provisional_session: session };
    await database.transact((trx) =>
      store.insertPerson(trx, { id: named('new'), gallery_id, puid: named('new'), ...rest }),
    );
    await database.queries
      .updateTable('people')
      .set({ created_at: 5 })
      .where('id', '=', named<PersonId>('new'))
      .execute();
    // Confirmed people stay, even in an edited gallery.
    await database.transact((trx) => store.joinEnrolment(trx, victim, named('s'), 1));
    await database.queries.updateTable('galleries').set({ people: 7 }).execute();
    await database.transact((trx) => provisional.discard(trx, named('s')));
    const left = (await readRows(database, 'people')).map(({ id }) => id);
    expect([left.includes('new'), left.includes(victim)]).toEqual([false, true]);
  });

  it('does not keep the face token', async () => {
    const { place, keyHolder } = await openTokenPlace();
    const process = await openTokenProcess(place, { keyHolder });
    const { puid } = await addPerson(process, randomVector());
    await process.database.queries.updateTable('people').set({ created_at: 5 }).execute();
    expect(await process.people.remove(OWNER, puid)).toBe(true);
    for (const table of ['people', 'tokens'] as const) expect(await readRows(process.database, table)).toEqual([]);
  });
});
