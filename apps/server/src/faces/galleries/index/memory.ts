// The face index in this process's memory. Without a limit, all galleries are read at the start. With one, a gallery is
// read by its first search, and the least recently used ones are evicted.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesPerVector, type Gallery, type GalleryEngine } from '@limen/gallery';
import type { Logger } from 'pino';
import { GalleryCache } from '../gallery-cache.ts';
import { type EmbeddingPage, type EmbeddingSeal, readEmbeddingPage } from '../store/embeddings.ts';
import type { GalleryRow } from '../store/galleries.ts';
import type { PeopleStore } from '../store/people.ts';
import type { BulkReader } from './bulk-reader.ts';
import type { FaceIndex } from './face-index.ts';

/** Rows read or inserted before other work gets its turn: about 2 ms */
const PAGE_ROWS = 64;
/** Changes from which threads read the rows. Threads take some ten milliseconds to start. */
const LEAST_FOR_THREADS = 5_000;

interface MemoryIndexOptions {
  store: PeopleStore;
  seal: EmbeddingSeal;
  bulkReader: BulkReader;
  engine: GalleryEngine;
  log: Logger;
  memoryBytes?: number | undefined;
  /** Set by tests only, like the next one */
  pollMs?: number | undefined;
  leastForThreads?: number | undefined;
}

export function createMemoryIndex(options: MemoryIndexOptions): FaceIndex {
  const { store, seal, bulkReader, engine, log, pollMs, leastForThreads = LEAST_FOR_THREADS } = options;
  const cache = new GalleryCache<Gallery>({
    source: {
      what: 'faces',
      rounds: 1,
      count: ({ embeddings }) => embeddings,
      measure: ({ embeddings, dimensions }) => embeddings * bytesPerVector(dimensions),
      create: ({ dimensions }) => engine.createGallery(dimensions),
      takeChanges,
    },
    people: store,
    maxBytes: options.memoryBytes ?? Infinity,
    exceedsLimit: true,
    log,
    pollMs,
  });

  return {
    search: (row, probe, limits) => withGallery(row, (gallery) => gallery.search(probe, limits)),
    compare: (row, probe, seqs) => withGallery(row, async (gallery) => gallery.compare(probe, seqs)),
    async addInTransaction() {
      // The cache reads the rows after the commit.
    },
    settle: (galleryId) => cache.settle(galleryId),
    async prepare() {},
    load: () => cache.load(),
    state: () => cache.state(),
    async close() {
      await cache.close();
      await bulkReader.close();
      await engine.close();
    },
  };

  async function withGallery<T>(row: GalleryRow, work: (gallery: Gallery) => Promise<T>): Promise<T> {
    const lease = (await cache.acquire(row))!;
    try {
      return await work(lease.gallery);
    } finally {
      lease.release();
    }
  }

  async function takeChanges(gallery: Gallery, after: number, { id, dimensions, version }: GalleryRow): Promise<void> {
    const wasEmpty = gallery.size === 0;
    const range = { galleryId: id, dimensions, after, upTo: version };
    if (version - after >= leastForThreads) {
      await bulkReader.read(range, (page) => insertPage(gallery, page));
    } else {
      for (let next: number | undefined = after; next !== undefined; ) {
        const page: EmbeddingPage = await readEmbeddingPage(store, seal, { ...range, after: next }, PAGE_ROWS);
        await insertPage(gallery, page);
        next = page.next;
      }
    }
    // A gallery that was empty holds only rows that still exist.
    if (wasEmpty) return;
    for (const seq of await store.listRemovals(id, after, version)) gallery.remove(seq);
  }

  async function insertPage(gallery: Gallery, { seqs, vectors, damagedIds }: EmbeddingPage): Promise<void> {
    for (const [at, seq] of seqs.entries()) {
      if (at % PAGE_ROWS === PAGE_ROWS - 1) await nextTurn();
      cache.requireOpen();
      const vector = vectors.subarray(at * gallery.dimensions, (at + 1) * gallery.dimensions);
      // An interrupted catch-up may have inserted it already. Zeros stand for a damaged row.
      if (gallery.has(seq) || vector.every((value) => value === 0)) continue;
      try {
        gallery.insert(seq, vector);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        log.error({ seq }, 'an embedding holds no face and is left out');
      } finally {
        vector.fill(0);
      }
    }
    // One damaged row must not make the whole gallery unusable.
    for (const id of damagedIds) log.error({ embedding: id }, 'an embedding cannot be read and is left out');
  }
}
