// Opens sealed embeddings: a few at once, many in threads, because opening is two thirds of what a start costs.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { createEmbeddingSeal } from './embedding-seal.ts';
import type { PageOrder, PageReply } from './open-embeddings-thread.ts';
import type { SealedEmbedding } from './store.ts';

/** Below this a message to a thread and back costs more than it saves. */
const LEAST_FOR_THREADS = 128;
/** Threads without work end after this long: a start needs them, a day does not. */
const IDLE_MS = 2_000;

export interface EmbeddingOpener {
  /** The vectors in order; nothing where a row is damaged. */
  open(rows: readonly SealedEmbedding[], dimensions: number): Promise<(Float32Array | undefined)[]>;
  close(): Promise<void>;
}

interface Thread {
  worker: Worker;
  /** In the order of their orders, which is that of the replies. */
  waiting: PromiseWithResolvers<PageReply>[];
  timer: NodeJS.Timeout | undefined;
}

export function createEmbeddingOpener(sealer: Sealer, most = availableParallelism()): EmbeddingOpener {
  const seal = createEmbeddingSeal(sealer);
  const threads = new Set<Thread>();

  return {
    async open(rows, dimensions) {
      if (rows.length < LEAST_FOR_THREADS) return rows.map((row) => openHere(row, dimensions));
      const { vectors } = await order(leastBusy(), {
        dimensions,
        ids: rows.map(({ id }) => id),
        sealed: rows.map(({ sealed }) => sealed),
      });
      return rows.map((_, at) => {
        const vector = vectors.subarray(at * dimensions, (at + 1) * dimensions);
        return vector.some((value) => value !== 0) ? vector : undefined;
      });
    },
    async close() {
      await Promise.all([...threads].map(end));
    },
  };

  function openHere({ id, sealed }: SealedEmbedding, dimensions: number): Float32Array | undefined {
    try {
      const vector = seal.open(id, sealed);
      return vector.length === dimensions ? vector : undefined;
    } catch {
      return undefined;
    }
  }

  function order(thread: Thread, page: PageOrder): Promise<PageReply> {
    const waiting = Promise.withResolvers<PageReply>();
    thread.waiting.push(waiting);
    clearTimeout(thread.timer);
    thread.worker.ref();
    thread.worker.postMessage(page);
    return waiting.promise;
  }

  function leastBusy(): Thread {
    const idlest = [...threads].toSorted((a, b) => a.waiting.length - b.waiting.length)[0];
    return idlest && (idlest.waiting.length === 0 || threads.size >= most) ? idlest : startThread();
  }

  function startThread(): Thread {
    // The process's own options are not for its threads: some would stop them.
    const options = { workerData: sealer.keysForThread(), execArgv: [] };
    const worker = new Worker(new URL('./open-embeddings-thread.ts', import.meta.url), options);
    const thread: Thread = { worker, waiting: [], timer: undefined };
    worker.on('message', (reply: PageReply) => {
      thread.waiting.shift()?.resolve(reply);
      if (thread.waiting.length > 0) return;
      worker.unref();
      thread.timer = setTimeout(() => end(thread), IDLE_MS).unref();
    });
    worker.on('error', () => {}); // told by its exit
    worker.on('exit', () => {
      threads.delete(thread);
      for (const { reject } of thread.waiting) reject(new Error('a thread that opens embeddings ended'));
    });
    threads.add(thread);
    return thread;
  }

  async function end(thread: Thread): Promise<void> {
    threads.delete(thread);
    clearTimeout(thread.timer);
    await thread.worker.terminate();
  }
}
