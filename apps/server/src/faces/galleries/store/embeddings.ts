// Seals embeddings for the database and opens them again, each bound to its row.
import { DataKeyUnknown, type Sealer } from '../../../platform/sealing/sealer.ts';
import { tables } from '../../tables.ts';
import { copyVector, vectorFromBytes, vectorToBytes } from '../face-vectors.ts';
import type { PeopleStore } from './people.ts';

export type EmbeddingSeal = ReturnType<typeof createEmbeddingSeal>;

export function createEmbeddingSeal(sealer: Sealer) {
  return {
    seal: (id: string, vector: Float32Array) =>
      sealer.seal(vectorToBytes(vector), tables.embeddings.places.sealed({ id })),
    open(id: string, sealed: Uint8Array): Float32Array {
      const bytes = sealer.open(sealed, tables.embeddings.places.sealed({ id }));
      const vector = vectorFromBytes(bytes);
      bytes.fill(0); // no copy of a face is left lying about
      return vector;
    },
    /** The same into a place of the caller's; false, and nothing written, when it has another length. */
    openInto(id: string, sealed: Uint8Array, target: Float32Array): boolean {
      const bytes = sealer.open(sealed, tables.embeddings.places.sealed({ id }));
      const fits = bytes.length === target.byteLength;
      if (fits) copyVector(bytes, target);
      bytes.fill(0);
      return fits;
    },
  };
}

/** Changes of one gallery, from the one after `after` to `upTo`. */
export interface EmbeddingRange {
  galleryId: string;
  dimensions: number;
  after: number;
  upTo: number;
}

export interface EmbeddingPage {
  seqs: number[];
  /** One after the other; that of a row that cannot be read is all zeros, which no embedding is. */
  vectors: Float32Array<ArrayBuffer>;
  /** Ids of the rows that cannot be read. */
  damaged: string[];
  /** Where the next page begins; nothing after the last. */
  next: number | undefined;
}

export async function readEmbeddingPage(
  store: Pick<PeopleStore, 'listEmbeddings'>,
  seal: EmbeddingSeal,
  { galleryId, dimensions, after, upTo }: EmbeddingRange,
  limit: number,
): Promise<EmbeddingPage> {
  const rows = await store.listEmbeddings(galleryId, after, upTo, limit);
  const vectors = new Float32Array(rows.length * dimensions);
  const damaged: string[] = [];
  for (const [at, { id, sealed }] of rows.entries()) {
    const place = vectors.subarray(at * dimensions, (at + 1) * dimensions);
    if (!opens(() => seal.openInto(id, sealed, place))) damaged.push(id);
  }
  const seqs = rows.map(({ seq }) => seq);
  return { seqs, vectors, damaged, next: rows.length < limit ? undefined : seqs.at(-1) };
}

function opens(open: () => boolean): boolean {
  try {
    return open();
  } catch (error) {
    if (error instanceof DataKeyUnknown) throw error; // left out, the face would be missing until the next start
    return false;
  }
}
