// Graphs (HNSW) over the vectors of large galleries, for operators who accept that a search sometimes misses a person.
// A command builds them, because that takes minutes to hours and memory of the database server.
import { sql } from 'kysely';
import type { Database, Queries } from '../../../platform/database/database.ts';
import { graphExpression } from './pgvector-store.ts';

/** pgvector's default, and twice its default */
const LINKS = 16;
const BUILD_BREADTH = 128;
const PREFIX = 'gallery_graph_';
/** Embeddings from which a graph pays: a scan of fewer takes some ten milliseconds. */
export const LEAST_FOR_GRAPH = 50_000;

export type Graphs = ReturnType<typeof createGraphs>;

export async function listGraphs(queries: Queries): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = to_regclass('gallery_half_vectors') and i.indisvalid
      and starts_with(c.relname, ${PREFIX})`.execute(queries);
  return new Set(rows.map(({ name }) => name.slice(PREFIX.length)));
}

/** Needs a database without statement timeouts. */
export function createGraphs({ queries }: Database, extensionSchema: string) {
  const indexName = (galleryId: string) => sql.id(PREFIX + galleryId);

  async function drop(galleryId: string): Promise<void> {
    await sql`drop index concurrently if exists ${indexName(galleryId)}`.execute(queries);
  }

  return {
    /** Builds a graph while the service runs. First removes an unfinished one of an earlier attempt. */
    async make({ id, dimensions }: { id: string; dimensions: number }, memoryMb: number): Promise<void> {
      await drop(id);
      // The setting applies to a connection. The index cannot be built in a transaction.
      await queries.connection().execute(async (connection) => {
        await sql`select set_config('maintenance_work_mem', ${`${memoryMb}MB`}, false)`.execute(connection);
        await sql`
          create index concurrently ${indexName(id)} on gallery_half_vectors
          using hnsw (${graphExpression(extensionSchema, dimensions)} ${sql.id(extensionSchema, 'halfvec_ip_ops')})
          with (m = ${sql.lit(LINKS)}, ef_construction = ${sql.lit(BUILD_BREADTH)})
          where gallery_id = ${sql.lit(id)}`.execute(connection);
      });
    },

    drop,

    /** Returns the completed share of the current build, if PostgreSQL reports one. */
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
