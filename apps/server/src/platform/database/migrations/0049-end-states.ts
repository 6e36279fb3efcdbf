// How a session ended, in a column that is written once: the index over `state`, which changes with every step, made PostgreSQL renew
// all entries of a row in all indexes at each of them.
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const endStates: Migration = { name: '0049-end-states', phase: 'expand', up };

async function up(trx: Transaction): Promise<void> {
  await trx.schema.alterTable('sessions').addColumn('end_state', 'text').execute();
  // An operator may have created it on a large table before, without holding up writes.
  await trx.schema
    .createIndex('sessions_ended_as')
    .ifNotExists()
    .on('sessions')
    .columns(['end_state', 'created_at', 'id'])
    .where(sql.ref('end_state'), 'is not', null)
    .execute();
}
