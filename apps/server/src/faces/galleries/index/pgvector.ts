// Searches faces in PostgreSQL with pgvector: for deployments with more processes, or more faces, than one memory holds.
//
// The database compares, so it must hold vectors that can be compared: they lie under a secret rotation for each gallery
// (secret-rotation.ts), which hides what the numbers mean and is not encryption. Its scores, of numbers in half precision,
// only choose the candidates; the answer comes from their sealed rows in double precision, and so equals that of a full
// scan. Where the operator accepts less than that, a graph chooses them (pgvector-graphs.ts): it misses true matches now
// and then, and a duplicate that is missed is enrolled twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { compareHits, type Hit } from '@limen/gallery';
import type { Logger } from 'pino';
import { describeForLog } from '../../../platform/base/errors.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { DataKeyUnknown, type Sealer } from '../../../platform/sealing/sealer.ts';
import { similarity } from '../face-vectors.ts';
import { createEmbeddingSeal } from '../store/embeddings.ts';
import type { GalleryRow } from '../store/galleries.ts';
import type { PeopleStore, SealedEmbedding } from '../store/people.ts';
import type { FaceIndex, FaceSearch, NumberedVector } from './face-index.ts';
import {
  candidateBound,
  createPgvectorStore,
  MAX_BY_GRAPH,
  type PgvectorStore,
  SPARE_CANDIDATES,
  scoreMargin,
} from './pgvector-store.ts';
import { preparePgvector } from './pgvector-tables.ts';
import { createSecretRotationCache } from './secret-rotation.ts';

interface PgvectorIndexOptions {
  database: Database;
  sealer: Sealer;
  store: PeopleStore;
  log: Logger;
  /** Whether candidates may come from a graph. */
  mayMiss: boolean;
}

/** Rotated in one go, without giving way to requests: about 20 ms at 512 dimensions. */
const ROWS_PER_INSERT = 64;
/** Sealed rows of 2 KB that are read and opened in one go: about 10 ms. */
const ROWS_PER_READ = 250;
/** Candidates by a graph for each hit that is wanted: those that it ranks a little too low are among them. */
const CANDIDATES_PER_HIT = 4;
/** After the database was away while faces were put in. */
const RETRY_MS = 1_000;

interface Extent {
  /** Up to this change every embedding is known to be in the table of vectors. */
  version: number;
  filling: Promise<void> | undefined;
}

export class PgvectorIndex implements FaceIndex {
  readonly #options: PgvectorIndexOptions;
  readonly #seal;
  readonly #rotations;
  readonly #extents = new Map<string, Extent>();
  readonly #closing = new AbortController();
  #table: PgvectorStore | undefined;
  #loaded = false;
  #facesDue = 0;
  #facesFilled = 0;

  constructor(options: PgvectorIndexOptions) {
    this.#options = options;
    this.#seal = createEmbeddingSeal(options.sealer);
    this.#rotations = createSecretRotationCache(options.sealer);
  }

  async search(gallery: GalleryRow, probe: Float32Array, { k, minSimilarity }: FaceSearch): Promise<Hit[]> {
    const vectors = this.#preparedTable();
    await this.#bringTo(gallery);
    const margin = scoreMargin(probe);
    const turned = this.#rotations.of(gallery).rotate(probe);
    const scan = { galleryId: gallery.id, probe: turned, minScore: minSimilarity - margin };
    const best = (hits: Hit[]) => hits.filter((hit) => hit.similarity >= minSimilarity).slice(0, k);
    const fromGraph = CANDIDATES_PER_HIT * k + SPARE_CANDIDATES;
    if (this.#options.mayMiss && fromGraph <= MAX_BY_GRAPH) {
      return best(this.#toHits(await vectors.selectNearestByGraph(scan, fromGraph), probe).sort(compareHits));
    }
    for (;;) {
      const rows = await vectors.selectNearest(scan, k + SPARE_CANDIDATES);
      const bound = candidateBound(rows, k, margin);
      if (bound === undefined) return best(this.#toHits(rows, probe).sort(compareHits));
      const within = await vectors.selectWithin({ ...scan, minScore: bound });
      const hits = await this.compare(gallery, probe, within);
      // At least k rows reach the bound, unless some were deleted since it was set: then it no longer says anything.
      if (hits.length >= k) return best(hits);
    }
  }

  async compare(gallery: GalleryRow, probe: Float32Array, seqs: readonly number[]): Promise<Hit[]> {
    const hits: Hit[] = [];
    for (let at = 0; at < seqs.length; at += ROWS_PER_READ) {
      hits.push(
        ...this.#toHits(
          await this.#preparedTable().selectSealed(gallery.id, seqs.slice(at, at + ROWS_PER_READ)),
          probe,
        ),
      );
    }
    return hits.sort(compareHits);
  }

  async addInTransaction(trx: Transaction, gallery: GalleryRow, added: readonly NumberedVector[]): Promise<void> {
    const { rotate } = this.#rotations.of(gallery);
    for (let at = 0; at < added.length; at += ROWS_PER_INSERT) {
      const page = added.slice(at, at + ROWS_PER_INSERT);
      const turned = page.map(({ seq, vector }) => ({ seq, vector: rotate(vector) }));
      await this.#preparedTable().insertVectors(trx, gallery.id, turned);
    }
  }

  async settle(): Promise<void> {
    // The vectors were part of the transaction, and every process searches the same table.
  }

  async prepare(): Promise<void> {
    this.#table = createPgvectorStore(this.#options.database.queries, await preparePgvector(this.#options.database));
  }

  async load(): Promise<void> {
    while (!this.#loaded && !this.#closing.signal.aborted) {
      try {
        await this.#fillAll();
        this.#loaded = true;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#options.log.warn(describeForLog(error), 'putting faces into pgvector failed; this will be retried');
        await sleep(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  readonly state = (): string => (this.#loaded ? 'ready' : `loading faces (${this.#facesFilled} of ${this.#facesDue})`);

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#extents.values()].map(({ filling }) => filling));
  }

  #preparedTable(): PgvectorStore {
    if (!this.#table) throw new Error('the face index was not prepared');
    return this.#table;
  }

  async #fillAll(): Promise<void> {
    // Read before what is missing: a gallery that grows in between is looked at again by its next search.
    const galleries = await this.#options.store.listGalleries();
    const missing = await this.#preparedTable().countMissing();
    this.#facesDue = this.#facesFilled + missing.values().reduce((sum, count) => sum + count, 0);
    for (const gallery of galleries) {
      if (missing.has(gallery.id)) await this.#bringTo(gallery);
      else this.#extentOf(gallery.id).version = gallery.version;
    }
    if (this.#facesFilled > 0)
      this.#options.log.info({ embeddings: this.#facesFilled }, 'faces were put into pgvector');
  }

  #extentOf(galleryId: string): Extent {
    const extent = this.#extents.get(galleryId) ?? { version: 0, filling: undefined };
    this.#extents.set(galleryId, extent);
    return extent;
  }

  /**
   * Puts in what is missing up to the row's version. Usually nothing is, which one small query tells for good, because
   * embeddings are numbered in the order of their commits. Something is missing after a switch from the index in memory,
   * and for as long as another process still uses that one.
   */
  async #bringTo(gallery: GalleryRow): Promise<void> {
    const extent = this.#extentOf(gallery.id);
    while (extent.version < gallery.version) {
      extent.filling ??= this.#fill(gallery, extent).finally(() => {
        extent.filling = undefined;
      });
      await extent.filling;
    }
  }

  async #fill(gallery: GalleryRow, extent: Extent): Promise<void> {
    const vectors = this.#preparedTable();
    for (let after = extent.version; ; ) {
      const rows = await vectors.selectMissing(gallery.id, after, gallery.version, ROWS_PER_INSERT);
      const last = rows.at(-1);
      if (!last) break;
      const turned = this.#toTurned(rows, gallery);
      if (turned.length > 0) {
        await this.#options.database.transact(async (trx) => {
          // Whoever deletes a person holds the gallery first; locking rows without it could end in a deadlock.
          await vectors.holdGallery(trx, gallery.id);
          await vectors.insertVectors(trx, gallery.id, turned);
        });
      }
      this.#facesFilled += turned.length;
      after = last.seq;
      this.#closing.signal.throwIfAborted();
    }
    extent.version = gallery.version;
  }

  #toTurned(rows: readonly SealedEmbedding[], gallery: GalleryRow) {
    const { rotate } = this.#rotations.of(gallery);
    return rows.flatMap((row) =>
      this.#withVector(row, gallery.dimensions, (vector) => ({ seq: row.seq, vector: rotate(vector) })),
    );
  }

  #toHits(rows: readonly SealedEmbedding[], probe: Float32Array): Hit[] {
    return rows.flatMap((row) =>
      this.#withVector(row, probe.length, (vector) => ({ key: row.seq, similarity: similarity(vector, probe) })),
    );
  }

  #withVector<T>({ id, sealed }: SealedEmbedding, dimensions: number, use: (vector: Float32Array) => T): T[] {
    try {
      const vector = this.#seal.open(id, sealed);
      if (vector.length !== dimensions) throw new Error('a sealed embedding of the wrong length');
      const result = use(vector);
      vector.fill(0);
      return [result];
    } catch (error) {
      if (error instanceof DataKeyUnknown) throw error;
      // One damaged row must not take the whole gallery away; the operator hears which one.
      this.#options.log.error(
        { ...describeForLog(error), embedding: id },
        'an embedding cannot be read and is left out',
      );
      return [];
    }
  }
}
