// A thread that opens sealed embeddings, a page at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { createSealer, type SealerKeys } from '../../platform/sealing/sealer.ts';
import { createEmbeddingSeal } from './embedding-seal.ts';

export interface PageOrder {
  dimensions: number;
  ids: string[];
  sealed: Uint8Array[];
}

export interface PageReply {
  /** One after the other; a damaged one is all zeros, which no embedding is. */
  vectors: Float32Array<ArrayBuffer>;
}

const seal = createEmbeddingSeal(createSealer(workerData as SealerKeys));

parentPort?.on('message', ({ dimensions, ids, sealed }: PageOrder) => {
  const vectors = new Float32Array(ids.length * dimensions);
  for (const [at, id] of ids.entries()) {
    try {
      const vector = seal.open(id, sealed[at]!);
      if (vector.length === dimensions) vectors.set(vector, at * dimensions);
      vector.fill(0);
    } catch {
      // Stays zero; whoever asked says so.
    }
  }
  const reply: PageReply = { vectors };
  parentPort?.postMessage(reply, [vectors.buffer]);
});
