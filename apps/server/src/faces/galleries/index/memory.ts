// The face index in this process's memory. Without a limit every gallery is here from the start. With one, each is read when
// it is first asked, and the least recently asked are evicted when there is no room for another.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesPerVector, type Gallery, type GalleryEngine } from '@limen/gallery';
import type { Logger } from 'pino';
import { GalleryCache } from '../gallery-cache.ts';
import { type EmbeddingPage, type EmbeddingSeal, readEmbeddingPage } from '../store/embeddings.ts';
import type { GalleryRow } from '../store/galleries.ts';
import type { PeopleStore } from '../store/people.ts';
import type { BulkReader } from './bulk-reader.ts';
import type { FaceIndex } from './face-index.ts';

/** Rows fetched and opened at once, and put in before other work gets its turn: about 2 ms. */
const PAGE_ROWS = 64;
/** From this many changes on threads do the reading; they take some tens of milliseconds to start. */
const LEAST_FOR_THREADS = 5_000;

interface MemoryIndexOptions {
  store: PeopleStore;
  seal: EmbeddingSeal;
  bulkReader: BulkReader;
  engine: GalleryEngine;
  log: Logger;
  /** For all galleries together; undefined: without a limit. */
  memoryBytes?: number | undefined;
  /** A test changes the next two. */
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
    search: (row, probe, search) => withGallery(row, (gallery) => gallery.search(probe, search)),
    compare: (row, probe, seqs) => withGallery(row, async (gallery) => gallery.compare(probe, seqs)),
    async addInTransaction() {
      // Read back from the committed rows, like every change.
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

  async function takeChanges(gallery: Gallery, after: number, row: GalleryRow): Promise<void> {
    const wasEmpty = gallery.size === 0;
    await insertAll(gallery, after, row);
    // A gallery that was empty now holds only existing rows. Only later changes can remove any.
    if (wasEmpty) return;
    for (const seq of await store.listRemovals(row.id, after, row.version)) gallery.remove(seq);
  }

  async function insertAll(gallery: Gallery, after: number, { id, dimensions, version }: GalleryRow): Promise<void> {
    const range = { galleryId: id, dimensions, after, upTo: version };
    if (version - after >= leastForThreads) {
      await bulkReader.read(range, (page) => insertPage(gallery, page));
      return;
    }
    for (let next: number | undefined = after; next !== undefined; ) {
      const page: EmbeddingPage = await readEmbeddingPage(store, seal, { ...range, after: next }, PAGE_ROWS);
      await insertPage(gallery, page);
      next = page.next;
    }
  }

  async function insertPage(gallery: Gallery, { seqs, vectors, damaged }: EmbeddingPage): Promise<void> {
    for (const [at, seq] of seqs.entries()) {
      if (at % PAGE_ROWS === PAGE_ROWS - 1) await nextTurn();
      cache.requireOpen();
      const vector = vectors.subarray(at * gallery.dimensions, (at + 1) * gallery.dimensions);
      // Known already when an earlier catch-up broke off half-way; all zeros where the row cannot be read.
      if (gallery.has(seq) || vector.every((value) => value === 0)) continue;
      if (!insertRow(gallery, seq, vector)) log.error({ seq }, 'an embedding holds no face and is left out');
    }
    // One damaged row must not take the whole gallery away; the operator hears which one.
    for (const id of damaged) log.error({ embedding: id }, 'an embedding cannot be read and is left out');
  }

  /** False when the gallery refuses these numbers; that there is no room is another matter. */
  function insertRow(gallery: Gallery, seq: number, vector: Float32Array): boolean {
    try {
      gallery.insert(seq, vector);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    } finally {
      vector.fill(0);
    }
  }
}
