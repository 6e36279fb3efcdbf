// Seals embeddings for the database and opens them again, each bound to its row.
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { vectorFromBytes, vectorToBytes } from './face-vectors.ts';

export interface EmbeddingSeal {
  seal(id: string, vector: Float32Array): Buffer;
  open(id: string, sealed: Uint8Array): Float32Array;
}

export function createEmbeddingSeal(sealer: Sealer): EmbeddingSeal {
  const placeOf = (id: string) => `embeddings/sealed/${id}`;
  return {
    seal: (id, vector) => sealer.seal(vectorToBytes(vector), placeOf(id)),
    open(id, sealed) {
      const bytes = sealer.open(sealed, placeOf(id));
      const vector = vectorFromBytes(bytes);
      bytes.fill(0); // no copy of a face is left lying about
      return vector;
    },
  };
}
