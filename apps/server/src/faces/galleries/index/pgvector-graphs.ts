// Graphs (HNSW) over the vectors of large galleries, for operators who accept that a search misses somebody now and then.
// Made by a command, not by a service: it takes minutes to hours, and memory of the database server.
import { sql } from 'kysely';
import type { Database, Queries } from '../../../platform/database/database.ts';
import { graphExpression } from './pgvector-store.ts';

/** How many neighbours a row is linked with, and how many are considered for that: the usual, and a little more. */
const LINKS = 16;
const BUILD_BREADTH = 128;
const PREFIX = 'gallery_graph_';
/** Embeddings. Below, looking at every vector takes some ten milliseconds, and misses nobody. */
export const LEAST_FOR_GRAPH = 50_000;

export interface GraphPlace {
  /** Of the gallery. */
  id: string;
  dimensions: number;
}

export type Graphs = ReturnType<typeof createGraphs>;

/** The galleries that have one, whole. */
export async function listGraphs(queries: Queries): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = to_regclass('gallery_half_vectors') and i.indisvalid
      and starts_with(c.relname, ${PREFIX})`.execute(queries);
  return new Set(rows.map(({ name }) => name.slice(PREFIX.length)));
}

/** On connections without limits of time. */
export function createGraphs({ queries }: Database, extensionSchema: string) {
  const nameOf = (galleryId: string) => sql.id(PREFIX + galleryId);
  // A statement that must not be part of a transaction, and needs a setting of its own connection.
  const alone = <T>(work: (queries: Queries) => Promise<T>) => queries.connection().execute(work);

  async function drop(galleryId: string): Promise<void> {
    await alone((own) => sql`drop index concurrently if exists ${nameOf(galleryId)}`.execute(own));
  }

  return {
    /**
     * Builds a graph while searches and enrollments continue. First removes an unfinished graph of
     * an earlier attempt.
     */
    async make({ id, dimensions }: GraphPlace, memoryMb: number): Promise<void> {
      await drop(id);
      await alone(async (own) => {
        await sql`select set_config('maintenance_work_mem', ${`${memoryMb}MB`}, false)`.execute(own);
        const expression = graphExpression(extensionSchema, dimensions);
        const operators = sql.id(extensionSchema, 'halfvec_ip_ops');
        await sql`
          create index concurrently ${nameOf(id)} on gallery_half_vectors
          using hnsw (${expression} ${operators})
          with (m = ${sql.lit(LINKS)}, ef_construction = ${sql.lit(BUILD_BREADTH)})
          where gallery_id = ${sql.lit(id)}`.execute(own);
      });
    },

    drop,

    /**
     * Returns the completed share of the current build, as PostgreSQL reports it. Returns undefined
     * if no build is running or PostgreSQL does not report a share.
     */
    async progress(): Promise<number | undefined> {
      const { rows } = await sql<{ share: number | null }>`
        select case when tuples_total > 0 then tuples_done::float8 / tuples_total
          when blocks_total > 0 then blocks_done::float8 / blocks_total end as share
        from pg_stat_progress_create_index
        where relid = to_regclass('gallery_half_vectors')`.execute(queries);
      return rows[0]?.share ?? undefined;
    },
  };
}
