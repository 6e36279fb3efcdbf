// The SQL of the pgvector index: missing vectors, nearest vectors, and their sealed rows.
import { sql } from 'kysely';
import type { Queries, Transaction } from '../../../platform/database/database.ts';
import { similarity } from '../face-vectors.ts';
import type { SealedEmbedding } from '../store/people.ts';
import type { NumberedVector } from './face-index.ts';

interface NearRow extends SealedEmbedding {
  /** pgvector's inner product of half-precision numbers */
  score: number;
}

interface ScanRange {
  galleryId: string;
  probe: Float32Array;
  minScore: number;
}

export type PgvectorStore = ReturnType<typeof createPgvectorStore>;

/** Rows that a search by graph considers. More rows find more true neighbors, and take longer. */
const GRAPH_BREADTH = 200;
export const MAX_BY_GRAPH = 1_000;

/** Returns what a graph indexes: the column holds vectors of all dimensions, a graph those of one. */
export function graphExpression(extensionSchema: string, dimensions: number) {
  return sql`(vector::${sql.id(extensionSchema, 'halfvec')}(${sql.lit(dimensions)}))`;
}

export function createPgvectorStore(queries: Queries, extensionSchema: string) {
  const type = sql.id(extensionSchema, 'vector');
  const half = sql.id(extensionSchema, 'halfvec');
  const negativeProduct = sql`operator(${sql.id(extensionSchema)}.<#>)`;
  // pg sends a Buffer in binary form, which spares writing and parsing digits. The server rounds the numbers.
  const vectorOf = (vector: Float32Array) => sql`${encodeVector(vector)}::${type}::${half}`;

  /** `offset 0` keeps the planner from computing distances twice, or to vectors of other galleries. */
  const distances = ({ galleryId, probe }: ScanRange) => sql`(
    select seq, vector ${negativeProduct} ${vectorOf(probe)} as distance
    from gallery_half_vectors where gallery_id = ${galleryId} offset 0)`;

  return {
    async countMissing(): Promise<Map<string, number>> {
      const { rows } = await sql<{ gallery_id: string; missing: number }>`
        select e.gallery_id, count(*) as missing from embeddings e
        where not exists (select from gallery_half_vectors v where v.gallery_id = e.gallery_id and v.seq = e.seq)
        group by e.gallery_id`.execute(queries);
      return new Map(rows.map(({ gallery_id, missing }) => [gallery_id, missing]));
    },

    async selectMissing(galleryId: string, after: number, last: number, limit: number): Promise<SealedEmbedding[]> {
      const { rows } = await sql<SealedEmbedding>`
        select e.seq, e.id, e.sealed from embeddings e
        where e.gallery_id = ${galleryId} and e.seq > ${after} and e.seq <= ${last}
          and not exists (select from gallery_half_vectors v where v.gallery_id = e.gallery_id and v.seq = e.seq)
        order by e.seq limit ${limit}`.execute(queries);
      return rows;
    },

    /** Blocks writers of the gallery, but not other processes that fill the table. */
    async holdGallery(trx: Transaction, galleryId: string): Promise<void> {
      await sql`select from galleries where id = ${galleryId} for key share`.execute(trx);
    },

    /** Skips deleted embeddings and existing vectors. */
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

    /** Finds most of the nearest rows, at most `MAX_BY_GRAPH`, and fast if there is a graph. */
    async selectNearestByGraph({ galleryId, probe, minScore }: ScanRange, limit: number): Promise<NearRow[]> {
      const breadth = String(Math.max(limit, GRAPH_BREADTH));
      const distance = sql`${graphExpression(extensionSchema, probe.length)} ${negativeProduct} ${vectorOf(probe)}`;
      // The breadth applies to this statement only and is set before the inner query begins. The gallery is a literal,
      // because the planner must see that its rows are those of the graph.
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

    selectSealed: (galleryId: string, seqs: readonly number[]) =>
      queries
        .selectFrom('embeddings')
        .select(['seq', 'id', 'sealed'])
        .where('gallery_id', '=', galleryId)
        .where(sql<boolean>`seq = any(${seqs}::bigint[])`)
        .execute(),
  };
}

/** Returns pgvector's binary form: the dimensions and a zero in 16 bits each, then the numbers. */
function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 + 4 * vector.length);
  bytes.writeUInt16BE(vector.length);
  for (let index = 0; index < vector.length; index += 1) bytes.writeFloatBE(vector[index]!, 4 + 4 * index);
  return bytes;
}

/** Candidates beyond `k`, so that near ties seldom need a second scan */
export const SPARE_CANDIDATES = 32;

/** Rounding error of a half-precision number: relative, and absolute below the normal numbers */
const HALF_ROUNDING = 2 ** -11;
const HALF_LEAST = 2 ** -25;
/** Rounding error of a float32 at 1 */
const ROUNDING = 2 ** -24;
/** Roundings of the two rotated vectors, of their lengths, and of the products */
const FURTHER_ROUNDINGS = 8;

/** Returns the most that the roundings above can move a score away from the similarity. */
export function scoreMargin(probe: Float32Array): number {
  const dimensions = probe.length;
  const halves = 2 * HALF_ROUNDING + HALF_ROUNDING ** 2 + 2 * Math.sqrt(dimensions) * HALF_LEAST;
  return (halves + (dimensions + FURTHER_ROUNDINGS) * ROUNDING) * 1.01 * Math.sqrt(similarity(probe, probe));
}

/** Returns the least score of rows that may belong to the best `k` but may be missing here. */
export function candidateBound(rows: readonly { score: number }[], k: number, margin: number): number | undefined {
  if (rows.length < k + SPARE_CANDIDATES) return undefined;
  const scores = rows.map(({ score }) => score).sort((left, right) => right - left);
  // The similarity of the k-th best row is at least its score minus a margin. A row of that similarity scores at most
  // another margin less.
  const bound = scores[k - 1]! - 2 * margin;
  return scores.at(-1)! < bound ? undefined : bound;
}
