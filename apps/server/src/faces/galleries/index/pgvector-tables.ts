// Creates the extension and the table that the pgvector index needs. Not a migration, because a deployment that searches
// in memory may lack the extension.
import { sql } from 'kysely';
import { lacksRight } from '../../../platform/base/database-failures.ts';
import { StartError } from '../../../platform/base/errors.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { lockSchema } from '../../../platform/database/migrate.ts';

/** Returns the schema of the extension, which may not be in our `search_path`. */
export async function preparePgvector(database: Database): Promise<string> {
  if (database.engine !== 'postgres') {
    throw new StartError('VECTOR_STORE=pgvector needs PostgreSQL: set DATABASE_URL, or unset VECTOR_STORE.');
  }
  return database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    if (!(await findExtension(trx))) await createExtension(trx);
    const extension = await findExtension(trx);
    if (!extension) throw new Error('the extension vector does not exist after it was created');
    const { schema, version } = extension;
    if (!extension.isUsable) {
      throw new StartError(
        `The role of DATABASE_URL may not use the schema “${schema}”, in which the extension vector lives: have its owner ` +
          'grant that role USAGE on it.',
      );
    }
    if (!extension.hasHalves) {
      throw new StartError(
        `VECTOR_STORE=pgvector needs pgvector 0.7 or newer, and this database has ${version}: install a newer one on ` +
          'that server and have a superuser run “ALTER EXTENSION vector UPDATE” once in this database, or unset VECTOR_STORE.',
      );
    }
    await createTable(trx, schema);
    return schema;
  });
}

async function findExtension(trx: Transaction) {
  const { rows } = await sql<{ schema: string; version: string; isUsable: boolean; hasHalves: boolean }>`
    select nspname as schema, extversion as version, has_schema_privilege(nspname, 'usage') as "isUsable",
      exists (select from pg_type where typname = 'halfvec' and typnamespace = extnamespace) as "hasHalves"
    from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'vector'`.execute(trx);
  return rows[0];
}

async function createExtension(trx: Transaction): Promise<void> {
  const { rows } = await sql<{ available: boolean; has_public: boolean }>`
    select exists (select from pg_available_extensions where name = 'vector') as available,
      to_regnamespace('public') is not null as has_public`.execute(trx);
  if (!rows[0]?.available) {
    throw new StartError(
      'VECTOR_STORE=pgvector needs pgvector, which this PostgreSQL server does not have: install it on that server ' +
        '(PostgreSQL’s own packages call it postgresql-NN-pgvector, NN being the version), or unset VECTOR_STORE.',
    );
  }
  // A database has the extension once for all its schemas, so dropping ours must not remove it.
  const place = rows[0].has_public ? sql`schema public` : sql``;
  try {
    await sql`create extension vector ${place}`.execute(trx);
  } catch (error) {
    if (!lacksRight(error)) throw error;
    throw new StartError(
      'The role of DATABASE_URL may not create the extension that VECTOR_STORE=pgvector needs: have a superuser run ' +
        '“CREATE EXTENSION vector SCHEMA public” once in this database, or unset VECTOR_STORE.',
    );
  }
}

async function createTable(trx: Transaction, schema: string): Promise<void> {
  // Checked first, because `alter table` would wait for every search of running processes.
  const { rows } = await sql`select 1 where to_regclass('gallery_half_vectors') is not null`.execute(trx);
  if (rows.length > 0) return;
  await sql`
    create table gallery_half_vectors (
      gallery_id text collate "C" not null,
      seq bigint not null,
      vector ${sql.id(schema, 'halfvec')} not null,
      primary key (gallery_id, seq),
      foreign key (gallery_id, seq) references embeddings on delete cascade
    )`.execute(trx);
  // By default PostgreSQL moves values of 2 KB and more to a side table and fetches them in pieces.
  await sql`alter table gallery_half_vectors alter column vector set storage plain`.execute(trx);
}
