// Deletes a person with all that hangs on them, and tells every index what to forget.
//
// Rows that somebody edited in the database count as not there for everything else, but what is to be erased must go: here they are
// taken by their columns. None of them gets a seal by it.

import type { PersonId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { PeopleStore } from './store/people.ts';

/**
 * Returns the ids of the galleries that they were in; undefined if they are gone already. `counts`: whether the gallery counts them, which
 * it does not before their enrollment has ended.
 */
export async function deletePerson(
  trx: Transaction,
  store: PeopleStore,
  personId: PersonId,
  now: number,
  { counts = true } = {},
): Promise<string[] | undefined> {
  // One, unless somebody has moved their row.
  const { own, ofFaces } = await store.listGalleriesOfPerson(trx, personId);
  const home = ofFaces[0] ?? own;
  const galleries = [...new Set([...ofFaces, ...(own === undefined ? [] : [own])])].sort();
  const held: { id: string; embeddings: number[]; tokens: number[] }[] = [];
  for (const id of galleries) {
    await store.lockAnyGallery(trx, id);
    held.push({ id, ...(await store.listSeqsOfPerson(trx, personId, id)) });
  }
  if (!(await store.deletePerson(trx, personId))) return undefined;
  for (const { id, embeddings, tokens } of held) {
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
  return galleries;
}
