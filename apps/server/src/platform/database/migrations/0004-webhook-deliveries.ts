// Webhooks on their way, and the log of those that arrived or were given up.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const webhookDeliveries: Migration = { name: '0004-webhook-deliveries', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('webhook_deliveries')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('api_key_id', id, (column) => column.notNull())
    .addColumn('session_id', id, (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('round', integer, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('attempts_before', integer, (column) => column.notNull())
    .addColumn('next_attempt_at', integer)
    .addColumn('last_attempt_at', integer)
    .addColumn('last_status', integer)
    .addColumn('last_error', 'text')
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('ended_at', integer)
    .addColumn('purge_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes)
    .execute();
  await trx.schema
    .createIndex('webhook_deliveries_customer')
    .on('webhook_deliveries')
    .columns(['customer', 'id'])
    .execute();
  await trx.schema
    .createIndex('webhook_deliveries_session')
    .on('webhook_deliveries')
    .columns(['session_id', 'id'])
    .execute();
  await trx.schema
    .createIndex('webhook_deliveries_purge')
    .on('webhook_deliveries')
    .column('purge_at')
    .where(sql.ref('sealed'), 'is not', null)
    .execute();
  await trx.schema.createIndex('webhook_deliveries_age').on('webhook_deliveries').column('created_at').execute();
}
