// Seals embeddings for the database and opens them again, each bound to its row.
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import { tables } from '../../tables.ts';
import { copyVector, vectorFromBytes, vectorToBytes } from '../face-vectors.ts';

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
