// Makes what the pgvector index needs in the database: the extension, and the table of rotated vectors.
// Not a migration, because a deployment that searches in memory need not have the extension.
import { sql } from 'kysely';
import { lacksRight } from '../../../platform/base/database-failures.ts';
import { StartError } from '../../../platform/base/errors.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { lockSchema } from '../../../platform/database/migrate.ts';

/** Returns the schema that the extension lives in; our own `search_path` need not lead there. */
export async function preparePgvector(database: Database): Promise<string> {
  if (database.engine !== 'postgres') {
    throw new StartError('VECTOR_STORE=pgvector needs PostgreSQL: set DATABASE_URL, or unset VECTOR_STORE.');
  }
  return database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    const schema = (await selectExtensionSchema(trx)) ?? (await createExtension(trx));
    await requireUsage(trx, schema);
    await requireHalves(trx, schema);
    await createTable(trx, schema);
    return schema;
  });
}

async function selectExtensionSchema(trx: Transaction): Promise<string | undefined> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'vector'`.execute(trx);
  return rows[0]?.schema;
}

async function createExtension(trx: Transaction): Promise<string> {
  const { rows } = await sql<{ available: boolean; has_public: boolean }>`
    select exists (select from pg_available_extensions where name = 'vector') as available,
      to_regnamespace('public') is not null as has_public`.execute(trx);
  if (!rows[0]?.available) {
    throw new StartError(
      'VECTOR_STORE=pgvector needs pgvector, which this PostgreSQL server does not have: install it on that server ' +
        '(PostgreSQL’s own packages call it postgresql-NN-pgvector, NN being the version), or unset VECTOR_STORE.',
    );
  }
  // A database has one such extension for all its schemas: in one of ours, dropping ours would break the others.
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
  const schema = await selectExtensionSchema(trx);
  if (schema === undefined) throw new Error('the extension vector is not there after it was created');
  return schema;
}

async function requireUsage(trx: Transaction, schema: string): Promise<void> {
  const { rows } = await sql<{ may: boolean }>`select has_schema_privilege(${schema}, 'usage') as may`.execute(trx);
  if (rows[0]?.may) return;
  throw new StartError(
    `The role of DATABASE_URL may not use the schema “${schema}”, in which the extension vector lives: have its owner ` +
      'grant that role USAGE on it.',
  );
}

async function requireHalves(trx: Transaction, schema: string): Promise<void> {
  const { rows } = await sql<{ version: string; has: boolean }>`
    select extversion as version, to_regtype(${`${schema}.halfvec`}) is not null as has
    from pg_extension where extname = 'vector'`.execute(trx);
  if (rows[0]?.has) return;
  throw new StartError(
    `VECTOR_STORE=pgvector needs pgvector 0.7 or newer, and this database has ${rows[0]?.version}: install a newer one on ` +
      'that server and have a superuser run “ALTER EXTENSION vector UPDATE” once in this database, or unset VECTOR_STORE.',
  );
}

async function createTable(trx: Transaction, schema: string): Promise<void> {
  // Asked first: `alter table` would wait for every search of the processes that are running already.
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
  // From 2 KB on PostgreSQL would move each vector to a side table and fetch it from there in pieces.
  await sql`alter table gallery_half_vectors alter column vector set storage plain`.execute(trx);
}
