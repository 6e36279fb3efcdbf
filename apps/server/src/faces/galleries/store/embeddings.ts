// Seals and opens embeddings, each bound to its row, and reads them page by page.
import { type Sealer, UnknownDataKeyError } from '../../../platform/sealing/sealer.ts';
import { tables } from '../../tables.ts';
import { vectorFromBytes, vectorToBytes } from '../face-vectors.ts';
import type { PeopleStore } from './people.ts';

export type EmbeddingSeal = ReturnType<typeof createEmbeddingSeal>;

export function createEmbeddingSeal(sealer: Sealer) {
  const { sealed: place } = tables.embeddings.places;
  return {
    seal: (id: string, vector: Float32Array) => sealer.seal(vectorToBytes(vector), place({ id })),
    open(id: string, sealed: Uint8Array): Float32Array {
      const bytes = sealer.open(sealed, place({ id }));
      const vector = vectorFromBytes(bytes);
      bytes.fill(0); // leaves no copy of a face in memory
      return vector;
    },
  };
}

/** Changes of one gallery, from the one after `after` to `upTo` */
export interface EmbeddingRange {
  galleryId: string;
  dimensions: number;
  after: number;
  upTo: number;
}

export type EmbeddingPage = Awaited<ReturnType<typeof readEmbeddingPage>>;

export async function readEmbeddingPage(
  store: Pick<PeopleStore, 'listEmbeddings'>,
  seal: EmbeddingSeal,
  { galleryId, dimensions, after, upTo }: EmbeddingRange,
  limit: number,
) {
  const rows = await store.listEmbeddings(galleryId, after, upTo, limit);
  // Opens rows sequentially. A damaged row leaves zeros, which no valid embedding has.
  const vectors = new Float32Array(rows.length * dimensions);
  const damagedIds: string[] = [];
  for (const [at, { id, sealed }] of rows.entries()) {
    try {
      const vector = seal.open(id, sealed);
      if (vector.length === dimensions) vectors.set(vector, at * dimensions);
      else damagedIds.push(id);
      vector.fill(0);
    } catch (error) {
      // Skipping it would hide the face until the next start.
      if (error instanceof UnknownDataKeyError) throw error;
      damagedIds.push(id);
    }
  }
  const seqs = rows.map(({ seq }) => seq);
  return { seqs, vectors, damagedIds, next: rows.length < limit ? undefined : seqs.at(-1) };
}
