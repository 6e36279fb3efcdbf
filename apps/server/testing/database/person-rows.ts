// People in the database without a face, for tests of what hangs on them.
import { createPeopleStore } from '../../src/faces/galleries/store/people.ts';
import type { Owner } from '../../src/platform/api-keys/owner.ts';
import type { Ids, PersonId, SessionId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Sealer } from '../../src/platform/sealing/sealer.ts';

/** Their id; `provisionalSession` for one whose enrolment has not ended. */
export async function insertPerson(
  { database, sealer, ids }: { database: Database; sealer: Sealer; ids: Ids },
  owner: Owner,
  provisionalSession: SessionId | null = null,
): Promise<PersonId> {
  const store = createPeopleStore(database, sealer, { error() {} });
  const kind = { owner, modelVersion: 'LIMEN_0123456789ABCDEF', dimensions: 512 };
  await store.insertGallery({ ...kind, id: ids.sortable(), guid: ids.random(), createdAt: 0 });
  const gallery = (await store.findGallery(owner, kind.modelVersion, kind.dimensions))!;
  const id = ids.sortable<PersonId>();
  await database.transact((trx) =>
    store.insertPerson(trx, {
      id,
      galleryId: gallery.id,
      puid: ids.random(),
      identifierDigest: null,
      enrollLevel: 0,
      createdAt: 0,
      provisionalSession,
    }),
  );
  return id;
}
