// People in the database without a face, for tests of their related rows.
import { ensureGallery } from '../../src/faces/galleries/store/galleries.ts';
import { createPeopleStore } from '../../src/faces/galleries/store/people.ts';
import type { Owner } from '../../src/platform/api-keys/owner.ts';
import type { Ids, PersonId, SessionId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Sealer } from '../../src/platform/sealing/sealer.ts';

/** Inserts a person and returns the id. `provisionalSession` marks an unfinished enrollment. */
export async function insertPerson(
  { database, sealer, ids }: { database: Database; sealer: Sealer; ids: Ids },
  owner: Owner,
  provisionalSession: SessionId | null = null,
): Promise<PersonId> {
  const store = createPeopleStore(database, sealer, { error() {} });
  const gallery = await ensureGallery(
    store,
    { ids, clock: { now: () => 0 } },
    { owner, modelVersion: 'LIMEN_0123456789ABCDEF', dimensions: 512 },
  );
  const id = ids.sortable<PersonId>();
  await database.transact((trx) =>
    store.insertPerson(trx, {
      id,
      gallery_id: gallery.id,
      puid: ids.random(),
      identifier_digest: null,
      enroll_level: 0,
      created_at: 0,
      provisional_session: provisionalSession,
    }),
  );
  return id;
}
