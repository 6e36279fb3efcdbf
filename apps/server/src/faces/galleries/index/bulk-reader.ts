// Reads many embeddings with all cores. Most of the time of a start goes into reading and opening them.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type SealerKeys, UnknownDataKeyError } from '../../../platform/sealing/sealer.ts';
import type { EmbeddingPage, EmbeddingRange } from '../store/embeddings.ts';
import type { BulkReaderSetup } from './bulk-reader-thread.ts';

export type BulkReader = ReturnType<typeof createBulkReader>;

interface BulkReaderOptions {
  url: string | undefined;
  dataDir: string;
  /** Called for each thread, because the keys may change. */
  keys: () => SealerKeys;
  threads?: number;
}

export function createBulkReader({ url, dataDir, keys, threads = availableParallelism() }: BulkReaderOptions) {
  const workers = new Set<Worker>();

  return {
    /** Passes all pages to `take`, one at a time, in no order. Rejects if a thread fails or is closed. */
    async read(range: EmbeddingRange, take: (page: EmbeddingPage) => Promise<void>): Promise<void> {
      let turn: Promise<void> = Promise.resolve();
      const parts = splitRange(range, threads).map((part) =>
        readPart(part, (page) => {
          turn = turn.then(() => take(page));
          return turn;
        }),
      );
      try {
        await Promise.all(parts);
      } finally {
        await close();
        await Promise.allSettled(parts);
      }
    },
    close,
  };

  function readPart(range: EmbeddingRange, take: (page: EmbeddingPage) => Promise<void>): Promise<void> {
    const workerData: BulkReaderSetup = { url, dataDir, keys: keys(), range };
    // Some of the process's own options would stop a thread.
    const worker = new Worker(new URL('./bulk-reader-thread.ts', import.meta.url), { workerData, execArgv: [] });
    workers.add(worker);
    return new Promise((resolve, reject) => {
      let isWhole = false;
      let taken: Promise<void> = Promise.resolve();
      worker.on('message', (page: EmbeddingPage) => {
        isWhole = page.next === undefined;
        taken = take(page);
        taken.then(() => worker.postMessage(null), reject);
      });
      // An error loses its class on the way out of a thread.
      worker.on('error', (error: Error) =>
        reject(error.name === UnknownDataKeyError.name ? new UnknownDataKeyError(error.message) : error),
      );
      worker.on('exit', () => {
        workers.delete(worker);
        if (isWhole) taken.then(resolve, reject);
        else reject(new Error('a thread that reads embeddings ended before its last page'));
      });
    });
  }

  async function close(): Promise<void> {
    await Promise.all([...workers].map((worker) => worker.terminate()));
  }
}

/** Splits the changes into equal ranges. After many removals their numbers of rows may differ. */
function splitRange(range: EmbeddingRange, parts: number): EmbeddingRange[] {
  const { after, upTo } = range;
  const edges = Array.from({ length: parts + 1 }, (_, at) => after + Math.round(((upTo - after) * at) / parts));
  return edges.slice(1).map((edge, at) => ({ ...range, after: edges[at]!, upTo: edge }));
}
