// The console's list by kind, world and how sessions ended: without these, a filter that few sessions pass reads them all.
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const sessionLists: Migration = { name: '0021-session-lists', up };

async function up(trx: Transaction): Promise<void> {
  await trx.schema.createIndex('sessions_kind').on('sessions').columns(['kind', 'created_at', 'id']).execute();
  await trx.schema.createIndex('sessions_world').on('sessions').columns(['world', 'created_at', 'id']).execute();
  // Open ones have an index already, and change their state often.
  await trx.schema
    .createIndex('sessions_end_state')
    .on('sessions')
    .columns(['state', 'created_at', 'id'])
    .where(sql.ref('ended_at'), 'is not', null)
    .execute();
}
