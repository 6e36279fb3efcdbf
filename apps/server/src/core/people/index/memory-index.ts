// The face index in this process's memory, kept current from the database.
//
// Every change of a gallery has a number. An embedding is numbered by the change that added it, and a removal leaves a
// line in a log; so whatever an index has missed, through this process or another, is two range reads away. A search
// names the version of the gallery it must see and waits until the index has caught up with it: an answer never lacks
// what was committed before the question. Beside that a timer looks after changes of other processes, so that what they
// removed leaves this memory within a second even when nobody asks.
//
// Every gallery is here from the start, unless there is a limit: then each is read when it is first asked, and whichever
// was asked longest ago is let go when there is no room for another.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesPerVector, type Gallery, type GalleryEngine } from '@limen/gallery';
import type { Logger } from 'pino';
import { type EmbeddingPage, readEmbeddingPage } from '../store/embedding-page.ts';
import type { EmbeddingSeal } from '../store/embedding-seal.ts';
import type { PeopleStore } from '../store/people-store.ts';
import type { BulkReader } from './bulk-reader.ts';
import type { FaceIndex, GalleryRow } from './face-index.ts';
import { followGalleries } from './follow-galleries.ts';

/** Rows fetched and opened at once, and put in before other work gets its turn: about 2 ms. */
const PAGE_ROWS = 64;
/** From this many changes on threads do the reading; they take some tens of milliseconds to start. */
const LEAST_FOR_THREADS = 5_000;
/** A gallery that was replaced is dropped once no search can still be reading it. */
const DROP_AFTER_MS = 60_000;

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

interface Held {
  gallery: Gallery;
  /** The last change that is in it. */
  version: number;
  catchingUp: Promise<void> | undefined;
  /** Searches that are reading it. */
  users: number;
  /** Counts the uses of all galleries: the lower, the longer ago. */
  lastUse: number;
}

export function createMemoryIndex(options: MemoryIndexOptions): FaceIndex {
  const { store, seal, bulkReader, engine, log, pollMs, leastForThreads = LEAST_FOR_THREADS } = options;
  const { memoryBytes = Number.POSITIVE_INFINITY } = options;
  const galleries = new Map<string, Held>();
  const { listVersions } = store;
  const following = followGalleries({
    heldIds: () => galleries.keys(),
    listVersions,
    bring: bringIfHeld,
    what: 'faces',
    log,
    pollMs,
  });
  let facesDue = 0;
  let uses = 0;
  let firstReading: Promise<unknown> = Promise.resolve();

  const index: FaceIndex = {
    search: (row, probe, search) => withGallery(row, (gallery) => gallery.search(probe, search)),
    compare: (row, probe, seqs) => withGallery(row, async (gallery) => gallery.compare(probe, seqs)),
    async addInTransaction() {
      // Read back from the committed rows, like every change.
    },
    async settle(galleryId) {
      const [row] = galleries.has(galleryId) ? await store.listVersions([galleryId]) : [];
      if (row) await bringIfHeld(row);
    },
    async prepare() {},
    load: () =>
      following.begin(async () => {
        if (memoryBytes < Number.POSITIVE_INFINITY) return [];
        const rows = await store.listGalleries();
        facesDue = rows.reduce((sum, { embeddings }) => sum + embeddings, 0);
        return rows;
      }, bringTo),
    state() {
      if (following.hasBegun()) return 'ready';
      const here = [...galleries.values()].reduce((sum, { gallery }) => sum + gallery.size, 0);
      return `loading faces (${here} of ${facesDue})`;
    },
    async close() {
      await following.stop();
      await Promise.allSettled([...galleries.values()].map(({ catchingUp }) => catchingUp));
      await bulkReader.close();
      await engine.close();
    },
  };
  return index;

  async function withGallery<T>(row: GalleryRow, work: (gallery: Gallery) => Promise<T>): Promise<T> {
    const held = hold(row);
    held.users += 1;
    uses += 1;
    held.lastUse = uses;
    try {
      await (held.gallery.size === 0 ? readInTurn(held, row) : bring(held, row));
      return await work(held.gallery);
    } finally {
      held.users -= 1;
      makeRoom(0);
    }
  }

  /** With a limit one after the other: what several are about to take together nobody has counted yet. */
  async function readInTurn(held: Held, row: GalleryRow): Promise<void> {
    if (memoryBytes === Number.POSITIVE_INFINITY) return bring(held, row);
    const turn = firstReading.then(() => {
      makeRoom(row.embeddings * bytesPerVector(row.dimensions));
      return bring(held, row);
    });
    firstReading = turn.catch(() => {});
    await turn;
  }

  async function bringTo(row: GalleryRow): Promise<void> {
    await bring(hold(row), row);
  }

  /** Not one that was let go meanwhile. */
  async function bringIfHeld(row: GalleryRow): Promise<void> {
    const held = galleries.get(row.id);
    if (held) await bring(held, row);
  }

  function hold({ id, dimensions }: GalleryRow): Held {
    let held = galleries.get(id);
    if (!held) {
      const gallery = engine.createGallery(dimensions);
      held = { gallery, version: 0, catchingUp: undefined, users: 0, lastUse: 0 };
      galleries.set(id, held);
    }
    return held;
  }

  /** Lets galleries go until so many bytes more are within the limit; never one in use, nor the one that was used last. */
  function makeRoom(bytes: number): void {
    const idle = [...galleries]
      .filter(([, { users, catchingUp, lastUse }]) => users === 0 && !catchingUp && lastUse < uses)
      .sort(([, one], [, other]) => one.lastUse - other.lastUse);
    for (const [id, { gallery }] of idle) {
      if (heldBytes() + bytes <= memoryBytes) return;
      galleries.delete(id);
      gallery.drop();
    }
  }

  function heldBytes(): number {
    return [...galleries.values()].reduce((sum, { gallery }) => sum + gallery.bytes, 0);
  }

  /** Until every change up to the row's version is in it. */
  async function bring(held: Held, row: GalleryRow): Promise<void> {
    while (held.version < row.version) {
      held.catchingUp ??= catchUp(held, row).finally(() => {
        held.catchingUp = undefined;
      });
      await held.catchingUp;
    }
  }

  async function catchUp(held: Held, row: GalleryRow): Promise<void> {
    if (held.version < row.logFloor && held.gallery.size > 0) replaceGallery(held, row);
    const wasEmpty = held.gallery.size === 0;
    await insertAll(held, row);
    // What was read into an empty one is what there is; only later changes can take something out again.
    if (!wasEmpty) {
      for (const seq of await store.listRemovals(row.id, held.version, row.version)) held.gallery.remove(seq);
    }
    held.version = row.version;
  }

  async function insertAll(held: Held, row: GalleryRow): Promise<void> {
    const { gallery, version: after } = held;
    const range = { galleryId: row.id, dimensions: row.dimensions, after, upTo: row.version };
    if (row.version - after >= leastForThreads) {
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
      if (following.isStopped()) throw new Error('the face index is closed');
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

  /** The log no longer says what was removed since, so everything is read again. */
  function replaceGallery(held: Held, row: GalleryRow): void {
    const old = held.gallery;
    held.gallery = engine.createGallery(row.dimensions);
    held.version = 0;
    setTimeout(() => old.drop(), DROP_AFTER_MS).unref();
  }
}
