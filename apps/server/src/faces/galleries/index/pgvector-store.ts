// The SQL of the pgvector index: what is missing in its table, what is nearest, and the sealed rows behind it.
import { sql } from 'kysely';
import type { Queries, Transaction } from '../../../platform/database/database.ts';
import { similarity } from '../face-vectors.ts';
import type { SealedEmbedding } from '../store/people.ts';
import type { NumberedVector } from './face-index.ts';

export interface NearRow extends SealedEmbedding {
  /** pgvector's inner product, of numbers in half precision. */
  score: number;
}

export interface ScanRange {
  galleryId: string;
  /** Rotated. */
  probe: Float32Array;
  minScore: number;
}

export type PgvectorStore = ReturnType<typeof createPgvectorStore>;

/** Rows that a search by graph considers: more find more of the nearest, and take longer. */
const GRAPH_BREADTH = 200;
/** pgvector considers no more. */
export const MAX_BY_GRAPH = 1_000;

/** What a graph is made over: the column holds galleries of all dimensions, a graph those of one. */
export function graphExpression(extensionSchema: string, dimensions: number) {
  return sql`(vector::${sql.id(extensionSchema, 'halfvec')}(${sql.lit(dimensions)}))`;
}

export function createPgvectorStore(queries: Queries, extensionSchema: string) {
  const type = sql.id(extensionSchema, 'vector');
  const half = sql.id(extensionSchema, 'halfvec');
  const negativeProduct = sql`operator(${sql.id(extensionSchema)}.<#>)`;
  // A parameter in binary form, which is how pg sends a Buffer: no digits to write and read. The server rounds it.
  const vectorOf = (vector: Float32Array) => sql`${encodeVector(vector)}::${type}::${half}`;

  /**
   * Every vector of the gallery with its distance. `offset 0` keeps the planner from merging this with what is around it:
   * each distance is computed once, and never one to a vector of another gallery, which would fail where that has other
   * dimensions.
   */
  const distances = ({ galleryId, probe }: ScanRange) => sql`(
    select seq, vector ${negativeProduct} ${vectorOf(probe)} as distance
    from gallery_half_vectors where gallery_id = ${galleryId} offset 0)`;

  return {
    /** By gallery: how many embeddings are not in the table of vectors, if any. */
    async countMissing(): Promise<Map<string, number>> {
      const { rows } = await sql<{ gallery_id: string; missing: number }>`
        select e.gallery_id, count(*) as missing from embeddings e
        where not exists (select from gallery_half_vectors v where v.gallery_id = e.gallery_id and v.seq = e.seq)
        group by e.gallery_id`.execute(queries);
      return new Map(rows.map(({ gallery_id, missing }) => [gallery_id, missing]));
    },

    /** Embeddings numbered above `after` and up to `last` that are not in the table of vectors, in order. */
    async selectMissing(galleryId: string, after: number, last: number, limit: number): Promise<SealedEmbedding[]> {
      const { rows } = await sql<SealedEmbedding>`
        select e.seq, e.id, e.sealed from embeddings e
        where e.gallery_id = ${galleryId} and e.seq > ${after} and e.seq <= ${last}
          and not exists (select from gallery_half_vectors v where v.gallery_id = e.gallery_id and v.seq = e.seq)
        order by e.seq limit ${limit}`.execute(queries);
      return rows;
    },

    /** Keeps the writers of a gallery waiting until the transaction ends, and not those who fill it. */
    async holdGallery(trx: Transaction, galleryId: string): Promise<void> {
      await sql`select from galleries where id = ${galleryId} for key share`.execute(trx);
    },

    /** Passes over embeddings that are gone, and vectors that are there. */
    async insertVectors(trx: Transaction, galleryId: string, vectors: readonly NumberedVector[]): Promise<void> {
      const given = vectors.map(({ seq, vector }) => sql`(${seq}::bigint, ${vectorOf(vector)})`);
      await sql`
        insert into gallery_half_vectors (gallery_id, seq, vector)
        select e.gallery_id, e.seq, given.vector from (values ${sql.join(given)}) as given (seq, vector)
        join embeddings e on e.gallery_id = ${galleryId} and e.seq = given.seq
        for key share of e
        on conflict do nothing`.execute(trx);
    },

    async selectNearest(range: ScanRange, limit: number): Promise<NearRow[]> {
      const { rows } = await sql<NearRow>`
        select near.seq, -near.distance as score, e.id, e.sealed
        from (
          select seq, distance from ${distances(range)} scanned
          where distance <= ${-range.minScore}::float8 order by distance limit ${limit}
        ) near
        join embeddings e on e.gallery_id = ${range.galleryId} and e.seq = near.seq`.execute(queries);
      return rows;
    },

    /**
     * Searches by the gallery's graph, if it has one. Finds most of the nearest rows, much faster
     * than `selectNearest`. Supports at most `MAX_BY_GRAPH` rows.
     */
    async selectNearestByGraph({ galleryId, probe, minScore }: ScanRange, limit: number): Promise<NearRow[]> {
      const breadth = String(Math.max(limit, GRAPH_BREADTH));
      const distance = sql`${graphExpression(extensionSchema, probe.length)} ${negativeProduct} ${vectorOf(probe)}`;
      // The breadth holds for this statement alone, and is set before the inner query begins. The gallery stands there as
      // text, because its graph is one of these rows alone, which a planner must see.
      const { rows } = await sql<NearRow>`
        select near.seq, -near.distance as score, e.id, e.sealed
        from (select set_config('hnsw.ef_search', ${breadth}, true)) breadth
        cross join lateral (
          select seq, ${distance} as distance from gallery_half_vectors
          where gallery_id = ${sql.lit(galleryId)} order by ${distance} limit ${limit}
        ) near
        join embeddings e on e.gallery_id = ${galleryId} and e.seq = near.seq
        where near.distance <= ${-minScore}::float8`.execute(queries);
      return rows;
    },

    async selectWithin(range: ScanRange): Promise<number[]> {
      const { rows } = await sql<{ seq: number }>`
        select seq from ${distances(range)} scanned where distance <= ${-range.minScore}::float8`.execute(queries);
      return rows.map((row) => row.seq);
    },

    /** Returns the embeddings with these numbers that still exist. */
    selectSealed: (galleryId: string, seqs: readonly number[]) =>
      queries
        .selectFrom('embeddings')
        .select(['seq', 'id', 'sealed'])
        .where('gallery_id', '=', galleryId)
        .where(sql<boolean>`seq = any(${seqs}::bigint[])`)
        .execute(),
  };
}

/** pgvector's binary form: dimensions and a zero of 16 bits each, then the numbers. */
function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 + 4 * vector.length);
  bytes.writeUInt16BE(vector.length);
  for (let index = 0; index < vector.length; index += 1) bytes.writeFloatBE(vector[index]!, 4 + 4 * index);
  return bytes;
}

// How far pgvector's scores can be from the truth, and so which rows may belong to the best.
/** Candidates beyond `k`, so that near ties, of which half precision makes many, seldom need a second scan. */
export const SPARE_CANDIDATES = 32;

/** Half a step of a half-precision number, relative to it; and below the normal ones, where steps stay the same, absolute. */
const HALF_ROUNDING = 2 ** -11;
const HALF_LEAST = 2 ** -25;
/** Half a step of float32 at 1. */
const ROUNDING = 2 ** -24;
/** The roundings of the two rotated vectors and of their lengths, and what is lost in multiplying. */
const FURTHER_ROUNDINGS = 8;

/**
 * Returns the most that a score can differ from the similarity. Both vectors were rounded to half
 * precision, each number by its own share of itself, so together by that share of their lengths.
 * The sum has one number per dimension, in single precision and in any order. For vectors of length
 * one, each addition is off by at most one rounding.
 */
export function scoreMargin(probe: Float32Array): number {
  const dimensions = probe.length;
  const halves = 2 * HALF_ROUNDING + HALF_ROUNDING ** 2 + 2 * Math.sqrt(dimensions) * HALF_LEAST;
  return (halves + (dimensions + FURTHER_ROUNDINGS) * ROUNDING) * 1.01 * Math.sqrt(similarity(probe, probe));
}

/**
 * Given the rows with the best scores, `k` and the spare ones: the score down to which a row may belong to the best `k`,
 * if there may be such rows beyond these.
 */
export function candidateBound(rows: readonly { score: number }[], k: number, margin: number): number | undefined {
  if (rows.length < k + SPARE_CANDIDATES) return undefined;
  const scores = rows.map(({ score }) => score).sort((left, right) => right - left);
  // The k-th best row is at least this similar: its score less a margin. Another row that is as similar scores at most
  // one more margin below that.
  const bound = scores[k - 1]! - 2 * margin;
  return scores.at(-1)! < bound ? undefined : bound;
}
