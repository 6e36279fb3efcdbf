// Deletes a person with all that hangs on them, and tells every index what to forget.
import type { Transaction } from '../../platform/database/database.ts';
import type { GalleryRow } from './index/face-index.ts';
import type { PeopleStore } from './store/people-store.ts';

interface Deletion {
  trx: Transaction;
  store: PeopleStore;
  /** Locked by this transaction. */
  gallery: GalleryRow;
  personId: string;
  /** Whether the gallery counts them; not before their enrolment has ended. */
  counts?: boolean;
  now: number;
}

/** False when they were gone already. */
export async function deletePerson({ trx, store, gallery, personId, counts = true, now }: Deletion): Promise<boolean> {
  const { embeddings, tokens } = await store.listSeqsOfPerson(trx, personId);
  if (!(await store.deletePerson(trx, personId))) return false;
  const seqs = [...embeddings, ...tokens];
  if (seqs.length > 0) await store.insertRemovals(trx, gallery.id, gallery.version, seqs, now);
  await store.updateGallery(trx, {
    ...gallery,
    version: gallery.version + seqs.length,
    people: gallery.people - (counts ? 1 : 0),
    embeddings: gallery.embeddings - embeddings.length,
    tokens: gallery.tokens - tokens.length,
  });
  return true;
}
