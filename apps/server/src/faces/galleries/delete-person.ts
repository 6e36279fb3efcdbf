// Deletes a person with all dependent rows, and logs what indexes must forget.
//
// An edited row is treated as missing everywhere else, but it must still be deletable. Rows are therefore found by their
// columns here, and none of them gets a new seal.
import type { PersonId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { PeopleStore } from './store/people.ts';

/** Returns the person's galleries if the person existed. `counts`: whether galleries count them. */
export async function deletePerson(
  trx: Transaction,
  store: PeopleStore,
  personId: PersonId,
  now: number,
  { counts = true } = {},
): Promise<string[] | undefined> {
  // More than one gallery only if a row was edited.
  const { own, ofFaces } = await store.listGalleriesOfPerson(trx, personId);
  const home = ofFaces[0] ?? own;
  const galleryIds = [...new Set([...ofFaces, ...(own === undefined ? [] : [own])])].sort();
  const removals: { id: string; embeddings: number[]; tokens: number[] }[] = [];
  for (const id of galleryIds) {
    await store.lockAnyGallery(trx, id);
    removals.push({ id, ...(await store.listSeqsOfPerson(trx, personId, id)) });
  }
  if (!(await store.deletePerson(trx, personId))) return undefined;
  for (const { id, embeddings, tokens } of removals) {
    const gallery = await store.lockGallery(trx, id);
    if (!gallery) {
      await store.haveIndexesReloaded(trx, id);
      continue;
    }
    const seqs = [...embeddings, ...tokens];
    if (seqs.length > 0) await store.insertRemovals(trx, id, gallery.version, seqs, now);
    await store.updateGallery(trx, {
      ...gallery,
      version: gallery.version + seqs.length,
      people: gallery.people - (counts && id === home ? 1 : 0),
      embeddings: gallery.embeddings - embeddings.length,
      tokens: gallery.tokens - tokens.length,
    });
  }
  return galleryIds;
}
