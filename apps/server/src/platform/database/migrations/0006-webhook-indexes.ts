// Indexes over the webhooks that are still on their way, which the metrics count, and over those whose body is gone,
// which the purge of the log looks through.
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const webhookIndexes: Migration = { name: '0006-webhook-indexes', up };

async function up(trx: Transaction): Promise<void> {
  await trx.schema
    .createIndex('webhook_deliveries_pending')
    .on('webhook_deliveries')
    .column('created_at')
    .where(sql.ref('state'), '=', 'pending')
    .execute();
  // Instead of the one over all rows: with a long retention, most old rows still have a body.
  await trx.schema.dropIndex('webhook_deliveries_age').execute();
  await trx.schema
    .createIndex('webhook_deliveries_bodiless')
    .on('webhook_deliveries')
    .column('created_at')
    .where(sql.ref('sealed'), 'is', null)
    .execute();
}
