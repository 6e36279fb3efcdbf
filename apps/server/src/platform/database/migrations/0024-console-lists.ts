// What the console looks through across all customers: watched subjects, alerts and decisions, and webhooks that were given up.
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const consoleLists: Migration = { name: '0024-console-lists', up };

async function up(trx: Transaction): Promise<void> {
  await trx.schema.createIndex('watched_subjects_world').on('watched_subjects').columns(['world', 'id']).execute();
  await trx.schema.createIndex('watched_subjects_hits').on('watched_subjects').columns(['hit_state', 'id']).execute();
  // Nearly all are screened nearly always.
  await trx.schema
    .createIndex('watched_subjects_due')
    .on('watched_subjects')
    .column('id')
    .where(sql.ref('state'), '=', 'due')
    .execute();
  await trx.schema.createIndex('screening_alerts_kind').on('screening_alerts').columns(['kind', 'id']).execute();
  await trx.schema
    .createIndex('webhook_deliveries_dead')
    .on('webhook_deliveries')
    .column('id')
    .where(sql.ref('state'), '=', 'dead')
    .execute();
}
