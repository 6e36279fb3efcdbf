// Edited rows of people, galleries and embeddings change no one's name, customer or world, and all
// are detected.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { pickByPerson, readRows, tryEveryEdit, tryEveryEditInPlace } from '#testing/edited-rows/edit-rows.ts';
import { NO_LOG, OWNER, OWNERS, openTokenPlace, openWithPeople } from '#testing/edited-rows/places.ts';
import { testOwner } from '#testing/owners.ts';
import { openPeopleProcess } from '#testing/processes/people-process.ts';
import { addPerson, openTokenProcess, signIn } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../packages/token/testing/vectors.ts';
import { createPeopleStore } from '../../src/faces/galleries/store/people.ts';
import { findEditedRows } from '../../src/operations/data-keys/row-seals.ts';
import { isSameOwner } from '../../src/platform/api-keys/owner.ts';
import { named, type PersonId, type Puid } from '../../src/platform/base/ids.ts';

describe('an edited row of a person or a gallery', () => {
  it('lets no face, device or passkey speak for another person, customer or world', async () => {
    const { place, keyHolder } = await openTokenPlace();
    const process = await openTokenProcess(place, { keyHolder });
    const { database, tokens } = process;
    const faces = [randomVector(), randomVector(), randomVector()];
    const owners = [OWNER, OWNER, testOwner('acme')];
    const people: Awaited<ReturnType<typeof addPerson>>[] = [];
    for (const [at, face] of faces.entries()) people.push(await addPerson(process, face, owners[at]));
    const galleryOf = async ({ personId }: { personId: PersonId }) =>
      (await readRows(database, 'people')).find(({ id }) => id === personId)!['gallery_id'] as string;
    const galleries = [await galleryOf(people[0]!), await galleryOf(people[1]!), await galleryOf(people[2]!)];

    const expectOwnNames = async (edit: string, areEdited: (at: number) => boolean) => {
      for (const [at, { personId, puid, guid }] of people.entries()) {
        const own = { personId, puid, guid };
        for (const owner of OWNERS) {
          const expected = isSameOwner(owner, owners[at]!) && !areEdited(at) ? own : undefined;
          expect(await tokens.findPersonById(owner, personId), edit).toEqual(expected);
          expect(await tokens.findPerson(owner, puid), edit).toEqual(expected);
          expect(await process.people.remove(owner, named(`${puid}x`)), edit).toBe(false);
        }
      }
    };
    await expectOwnNames('nothing', () => false);
    await tryEveryEditInPlace(
      database,
      'people',
      [people[0]!.personId, people[1]!.personId],
      { gallery_id: galleries[2] },
      async (edit, editedIds) => {
        await expectOwnNames(edit, (at) => editedIds.includes(people[at]!.personId));
        for (const id of editedIds)
          expect(await database.transact((trx) => tokens.hold(trx, named(id))), edit).toBe(false);
        if (!edit.includes('puid') && !edit.includes('everything')) return;
        for (const face of [faces[0]!, faces[1]!])
          expect(await signIn(process, face), edit).toEqual({ kind: 'no_match' });
      },
    );
    await tryEveryEditInPlace(database, 'galleries', [galleries[0]!, galleries[2]!], {}, async (edit, editedIds) => {
      await expectOwnNames(edit, (at) => editedIds.includes(galleries[at]!));
    });
    for (const [at, { puid }] of people.entries()) {
      expect(await signIn(process, faces[at]!, undefined, owners[at])).toMatchObject({ puid });
    }
    // The log names the row, but nothing in it.
    expect(process.logged()).toContain(`"table":"people","row":"${people[0]!.personId}"`);
    expect(process.logged()).toContain('was edited in the database and counts as absent');
    for (const { puid } of people) expect(process.logged()).not.toContain(puid);
  });

  it('gives no face of the biometric node another name, customer or world', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const { database, people, logged } = await openPeopleProcess(place);
    const modelVersion = 'FACE3_1';
    const faces = [0, 1, 2].map((at) => Float32Array.from({ length: 128 }, (_, i) => (i === at ? 1 : 0)));
    const owners = [OWNER, OWNER, testOwner('acme')];
    const names: { personId: PersonId; puid: Puid; guid: string }[] = [];
    for (const [at, face] of faces.entries()) {
      const { personId, puid, guid } = await people.enrol({ owner: owners[at]!, modelVersion, vectors: [face] });
      names.push({ personId, puid, guid });
    }
    const rows = await readRows(database, 'people');
    const galleries = names.map(({ personId }) => rows.find(({ id }) => id === personId)!['gallery_id'] as string);
    type Node = Pick<typeof people, 'identify'>;
    const expectOwnNames = async (node: Node, edit: string, isAway: (at: number) => boolean | 'perhaps') => {
      for (const [at, vector] of faces.entries()) {
        for (const owner of OWNERS) {
          const { guid, matches } = await node.identify({ owner, modelVersion, vector, k: 5 });
          const found = matches.map(({ puid }) => ({ puid, guid }));
          const own = [{ puid: names[at]!.puid, guid: names[at]!.guid }];
          const away = isSameOwner(owner, owners[at]!) ? isAway(at) : true;
          if (away === 'perhaps' && found.length > 0) expect(found, edit).toEqual(own);
          else expect(found, edit).toEqual(away ? [] : own);
        }
      }
    };
    await expectOwnNames(people, 'nothing', () => false);
    await tryEveryEditInPlace(
      database,
      'people',
      [names[0]!.personId, names[1]!.personId],
      { gallery_id: galleries[2] },
      async (edit, editedIds) => {
        await expectOwnNames(people, edit, (at) => editedIds.includes(names[at]!.personId));
      },
    );
    await tryEveryEditInPlace(database, 'galleries', [galleries[0]!, galleries[2]!], {}, async (edit, editedIds) => {
      await expectOwnNames(people, edit, (at) => editedIds.includes(galleries[at]!));
    });
    const pick = pickByPerson(names[0]!.personId, names[1]!.personId);
    await tryEveryEdit(database, 'embeddings', pick, async (edit) => {
      const fresh = await openPeopleProcess(place); // Loads its index from the edited rows.
      for (const node of [people, fresh.people]) await expectOwnNames(node, edit, (at) => (at < 2 ? 'perhaps' : false));
    });
    expect(logged()).toContain('was edited in the database and counts as absent');
    for (const { puid } of names) expect(logged()).not.toContain(puid);
  });

  it('is found among all rows, even after the first thousand', async () => {
    const { database, sealer, victim } = await openWithPeople();
    const [{ gallery_id: galleryId }] = (await readRows(database, 'people')) as [{ gallery_id: string }];
    const store = createPeopleStore(database, sealer, NO_LOG);
    const faces = Array.from({ length: 1_001 }, (_, seq) => ({ seq, id: `e${seq}`, sealed: Buffer.of(1) }));
    await database.transact((trx) => store.insertEmbeddings(trx, galleryId, victim, faces));
    const rows = 1_001 + (await readRows(database, 'people')).length + (await readRows(database, 'galleries')).length;
    expect(await findEditedRows(database.queries, sealer)).toEqual({ looked: rows, edited: [], isWhole: true });
    await database.queries.updateTable('embeddings').set({ seq: 5_000 }).where('seq', '=', 1_000).execute();
    expect((await findEditedRows(database.queries, sealer)).edited).toEqual([
      { table: 'embeddings', id: `${galleryId}/5000` },
    ]);
  });
});
