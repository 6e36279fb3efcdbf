// Sealing keys, API keys, jobs, idempotency keys and the string store.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const foundation: Migration = { name: '0001-foundation', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('data_keys')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('wrapped', bytes, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .execute();

  await trx.schema
    .createTable('api_keys')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('lookup', bytes, (column) => column.notNull().unique())
    .addColumn('sealed_key', bytes, (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('label', 'text')
    .addColumn('customer_id', 'text')
    .addColumn('api_id', 'text')
    .addColumn('usage_plan_id', 'text')
    .addColumn('product_code', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.unique())
    .addColumn('client_secret_digest', bytes)
    .addColumn('when_created', integer, (column) => column.notNull())
    .addColumn('last_updated', integer, (column) => column.notNull())
    .execute();

  await trx.schema
    .createTable('jobs')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('payload', bytes, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('run_at', integer, (column) => column.notNull())
    .addColumn('lease_token', 'text')
    .addColumn('lease_until', integer)
    .addColumn('unique_key', 'text')
    .addColumn('last_error', 'text')
    .addColumn('created_at', integer, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('jobs_ready').on('jobs').columns(['kind', 'state', 'run_at']).execute();
  await trx.schema.createIndex('jobs_leased').on('jobs').columns(['kind', 'state', 'lease_until']).execute();
  await trx.schema
    .createIndex('jobs_unique')
    .on('jobs')
    .columns(['kind', 'unique_key'])
    .unique()
    .where(sql.ref('state'), '!=', 'dead')
    .execute();

  await trx.schema
    .createTable('idempotency_keys')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('key_digest', bytes, (column) => column.notNull())
    .addColumn('request_digest', bytes, (column) => column.notNull())
    .addColumn('reply', bytes, (column) => column.notNull())
    .addColumn('resource', id, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['scope', 'key_digest'])
    .execute();
  await trx.schema.createIndex('idempotency_keys_resource').on('idempotency_keys').column('resource').execute();
  await trx.schema.createIndex('idempotency_keys_expiry').on('idempotency_keys').column('expires_at').execute();

  await trx.schema
    .createTable('strings')
    .addColumn('owner', id, (column) => column.notNull())
    .addColumn('id', id, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('strings_pk', ['owner', 'id'])
    .execute();
}
