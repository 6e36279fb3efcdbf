// Searches faces in PostgreSQL with pgvector, for deployments with more processes or faces than one memory holds.
//
// The database compares vectors, so it must hold vectors that can be compared. Each gallery's vectors lie under a secret
// rotation (secret-rotation.ts), which hides their meaning but is not encryption. Scores of half-precision numbers only
// choose the candidates. The answer comes from the sealed rows in double precision, and equals that of a full scan. If
// the operator accepts less, a graph chooses the candidates (pgvector-graphs.ts). It sometimes misses a true match, and a
// missed duplicate is enrolled twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { compareHits, type Hit } from '@limen/gallery';
import type { Logger } from 'pino';
import { describeForLog } from '../../../platform/base/errors.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { type Sealer, UnknownDataKeyError } from '../../../platform/sealing/sealer.ts';
import { similarity } from '../face-vectors.ts';
import { createEmbeddingSeal } from '../store/embeddings.ts';
import type { GalleryRow } from '../store/galleries.ts';
import type { PeopleStore, SealedEmbedding } from '../store/people.ts';
import type { FaceIndex, NumberedVector } from './face-index.ts';
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
  /** Whether candidates may come from a graph */
  mayMiss: boolean;
}

/** Vectors rotated without giving way to requests: about 30 ms at 512 dimensions */
const ROWS_PER_INSERT = 64;
/** Sealed rows of 2 KB opened without giving way to requests: about 10 ms */
const ROWS_PER_READ = 250;
/** Candidates from a graph for each wanted hit, because the graph may rank a true hit too low */
const CANDIDATES_PER_HIT = 4;
const LOAD_RETRY_MS = 1_000;

interface GalleryExtent {
  /** Change up to which all embeddings are known to be in the table of vectors */
  version: number;
  filling: Promise<void> | undefined;
}

export class PgvectorIndex implements FaceIndex {
  readonly #options: PgvectorIndexOptions;
  readonly #seal;
  readonly #rotations;
  readonly #extents = new Map<string, GalleryExtent>();
  readonly #closing = new AbortController();
  #table: PgvectorStore | undefined;
  #isLoaded = false;
  #facesDue = 0;
  #facesFilled = 0;

  constructor(options: PgvectorIndexOptions) {
    this.#options = options;
    this.#seal = createEmbeddingSeal(options.sealer);
    this.#rotations = createSecretRotationCache(options.sealer);
  }

  async search(gallery: GalleryRow, probe: Float32Array, { k, minSimilarity }: { k: number; minSimilarity: number }) {
    const table = this.#preparedTable();
    await this.#bringTo(gallery);
    const margin = scoreMargin(probe);
    const rotated = this.#rotations.of(gallery).rotate(probe);
    const scan = { galleryId: gallery.id, probe: rotated, minScore: minSimilarity - margin };
    const best = (hits: Hit[]) => hits.filter((hit) => hit.similarity >= minSimilarity).slice(0, k);
    const fromGraph = CANDIDATES_PER_HIT * k + SPARE_CANDIDATES;
    if (this.#options.mayMiss && fromGraph <= MAX_BY_GRAPH) {
      return best(this.#toHits(await table.selectNearestByGraph(scan, fromGraph), probe));
    }
    for (;;) {
      const rows = await table.selectNearest(scan, k + SPARE_CANDIDATES);
      const bound = candidateBound(rows, k, margin);
      if (bound === undefined) return best(this.#toHits(rows, probe));
      const within = await table.selectWithin({ ...scan, minScore: bound });
      const hits = await this.compare(gallery, probe, within);
      // At least k rows reach the bound, unless some were deleted in the meantime. Then it has no meaning anymore.
      if (hits.length >= k) return best(hits);
    }
  }

  async compare(gallery: GalleryRow, probe: Float32Array, seqs: readonly number[]): Promise<Hit[]> {
    const hits: Hit[] = [];
    for (let at = 0; at < seqs.length; at += ROWS_PER_READ) {
      const rows = await this.#preparedTable().selectSealed(gallery.id, seqs.slice(at, at + ROWS_PER_READ));
      hits.push(...this.#toHits(rows, probe));
    }
    return hits.sort(compareHits);
  }

  async addInTransaction(trx: Transaction, gallery: GalleryRow, added: readonly NumberedVector[]): Promise<void> {
    const { rotate } = this.#rotations.of(gallery);
    for (let at = 0; at < added.length; at += ROWS_PER_INSERT) {
      const page = added.slice(at, at + ROWS_PER_INSERT);
      const rotated = page.map(({ seq, vector }) => ({ seq, vector: rotate(vector) }));
      await this.#preparedTable().insertVectors(trx, gallery.id, rotated);
    }
  }

  async settle(): Promise<void> {
    // The transaction has written the vectors, and every process searches the same table.
  }

  async prepare(): Promise<void> {
    this.#table = createPgvectorStore(this.#options.database.queries, await preparePgvector(this.#options.database));
  }

  async load(): Promise<void> {
    const { signal } = this.#closing;
    while (!this.#isLoaded && !signal.aborted) {
      try {
        await this.#fillAll();
        this.#isLoaded = true;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log.warn(describeForLog(error), 'putting faces into pgvector failed; this will be retried');
        await sleep(LOAD_RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  state(): string {
    return this.#isLoaded ? 'ready' : `loading faces (${this.#facesFilled} of ${this.#facesDue})`;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#extents.values().map(({ filling }) => filling));
  }

  #preparedTable(): PgvectorStore {
    if (!this.#table) throw new Error('the face index was not prepared');
    return this.#table;
  }

  async #fillAll(): Promise<void> {
    // Read before the missing vectors: the next search fills a gallery that grows in between.
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

  #extentOf(galleryId: string): GalleryExtent {
    const extent = this.#extents.get(galleryId) ?? { version: 0, filling: undefined };
    this.#extents.set(galleryId, extent);
    return extent;
  }

  /** Inserts vectors that are missing because processes use, or used, the index in memory. */
  async #bringTo(gallery: GalleryRow): Promise<void> {
    const extent = this.#extentOf(gallery.id);
    while (extent.version < gallery.version) {
      extent.filling ??= this.#fill(gallery, extent).finally(() => {
        extent.filling = undefined;
      });
      await extent.filling;
    }
  }

  async #fill(gallery: GalleryRow, extent: GalleryExtent): Promise<void> {
    const table = this.#preparedTable();
    const { rotate } = this.#rotations.of(gallery);
    for (let after = extent.version; ; ) {
      const rows = await table.selectMissing(gallery.id, after, gallery.version, ROWS_PER_INSERT);
      const last = rows.at(-1);
      if (!last) break;
      const rotated = this.#openAll(rows, gallery.dimensions, (seq, vector) => ({ seq, vector: rotate(vector) }));
      if (rotated.length > 0) {
        await this.#options.database.transact(async (trx) => {
          // Deletions lock the gallery before its rows. Another order could end in a deadlock.
          await table.holdGallery(trx, gallery.id);
          await table.insertVectors(trx, gallery.id, rotated);
        });
      }
      this.#facesFilled += rotated.length;
      after = last.seq;
      this.#closing.signal.throwIfAborted();
    }
    extent.version = gallery.version;
  }

  #toHits(rows: readonly SealedEmbedding[], probe: Float32Array): Hit[] {
    const toHit = (key: number, vector: Float32Array) => ({ key, similarity: similarity(vector, probe) });
    return this.#openAll(rows, probe.length, toHit).sort(compareHits);
  }

  #openAll<T>(
    rows: readonly SealedEmbedding[],
    dimensions: number,
    convert: (seq: number, vector: Float32Array) => T,
  ): T[] {
    return rows.flatMap(({ seq, id, sealed }) => {
      try {
        const vector = this.#seal.open(id, sealed);
        if (vector.length !== dimensions) throw new Error('a sealed embedding of the wrong length');
        const converted = convert(seq, vector);
        vector.fill(0);
        return [converted];
      } catch (error) {
        if (error instanceof UnknownDataKeyError) throw error;
        // One damaged row must not make the whole gallery unusable.
        const fields = { ...describeForLog(error), embedding: id };
        this.#options.log.error(fields, 'an embedding cannot be read and is left out');
        return [];
      }
    });
  }
}
