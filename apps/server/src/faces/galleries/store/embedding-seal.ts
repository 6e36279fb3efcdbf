// Seals embeddings for the database and opens them again, each bound to its row.
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import { copyVector, vectorFromBytes, vectorToBytes } from '../face-vectors.ts';

export interface EmbeddingSeal {
  seal(id: string, vector: Float32Array): Buffer;
  open(id: string, sealed: Uint8Array): Float32Array;
  /** The same into a place of the caller's; false, and nothing written, when it has another length. */
  openInto(id: string, sealed: Uint8Array, target: Float32Array): boolean;
}

export function createEmbeddingSeal(sealer: Sealer): EmbeddingSeal {
  return {
    seal: (id, vector) => sealer.seal(vectorToBytes(vector), embeddingPlace(id)),
    open(id, sealed) {
      const bytes = sealer.open(sealed, embeddingPlace(id));
      const vector = vectorFromBytes(bytes);
      bytes.fill(0); // no copy of a face is left lying about
      return vector;
    },
    openInto(id, sealed, target) {
      const bytes = sealer.open(sealed, embeddingPlace(id));
      const fits = bytes.length === target.byteLength;
      if (fits) copyVector(bytes, target);
      bytes.fill(0);
      return fits;
    },
  };
}

export function embeddingPlace(id: string): string {
  return `embeddings/sealed/${id}`;
}
