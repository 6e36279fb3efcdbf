// An index over the webhooks that are still on their way, which the metrics count.
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import type { Migration } from '../migrate.ts';

export const pendingWebhooks: Migration = { name: '0006-pending-webhooks', up };

async function up(trx: Transaction): Promise<void> {
  await trx.schema
    .createIndex('webhook_deliveries_pending')
    .on('webhook_deliveries')
    .column('created_at')
    .where(sql.ref('state'), '=', 'pending')
    .execute();
}
