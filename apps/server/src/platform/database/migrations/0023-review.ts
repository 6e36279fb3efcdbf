// Cases: what the service left to a reviewer to decide, and what was said about each.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const review: Migration = { name: '0023-review', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('review_cases')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('world', 'text', (column) => column.notNull())
    .addColumn('api_key_id', id, (column) => column.notNull())
    .addColumn('about', id, (column) => column.notNull())
    .addColumn('hit_id', id, (column) => column.unique())
    .addColumn('person_id', id)
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('assignee_id', id)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('due_at', integer, (column) => column.notNull())
    .addColumn('decided_at', integer)
    .addColumn('purge_at', integer)
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  // The inbox, of all and of one reviewer.
  await trx.schema.createIndex('review_cases_due').on('review_cases').columns(['state', 'due_at', 'id']).execute();
  await trx.schema
    .createIndex('review_cases_assignee')
    .on('review_cases')
    .columns(['assignee_id', 'state', 'due_at', 'id'])
    .execute();
  await trx.schema.createIndex('review_cases_about').on('review_cases').column('about').execute();
  await trx.schema
    .createIndex('review_cases_person')
    .on('review_cases')
    .column('person_id')
    .where(sql.ref('person_id'), 'is not', null)
    .execute();
  await trx.schema
    .createIndex('review_cases_purge')
    .on('review_cases')
    .column('purge_at')
    .where(sql.ref('purge_at'), 'is not', null)
    .execute();

  await trx.schema
    .createTable('review_notes')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('case_id', id, (column) => column.notNull().references('review_cases.id').onDelete('cascade'))
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('review_notes_case').on('review_notes').columns(['case_id', 'id']).execute();
}
