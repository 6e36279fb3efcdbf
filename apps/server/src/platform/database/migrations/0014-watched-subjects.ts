// Watched subjects, what the lists say about them, and every change of it.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const watchedSubjects: Migration = { name: '0014-watched-subjects', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('watched_subjects')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('world', 'text', (column) => column.notNull())
    .addColumn('api_key_id', id, (column) => column.notNull())
    .addColumn('reference_digest', bytes, (column) => column.notNull())
    .addColumn('revision', integer, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('changed_at', integer, (column) => column.notNull())
    .addColumn('screened_at', integer)
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createIndex('watched_subjects_reference')
    .unique()
    .on('watched_subjects')
    .column('reference_digest')
    .execute();
  await trx.schema
    .createIndex('watched_subjects_owner')
    .on('watched_subjects')
    .columns(['customer', 'world', 'id'])
    .execute();

  await trx.schema
    .createTable('watched_hits')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('subject_id', id, (column) => column.notNull())
    .addColumn('entity_digest', bytes, (column) => column.notNull())
    .addColumn('found_at', integer, (column) => column.notNull())
    .addColumn('changed_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createIndex('watched_hits_subject')
    .unique()
    .on('watched_hits')
    .columns(['subject_id', 'entity_digest'])
    .execute();

  await trx.schema
    .createTable('screening_alerts')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('world', 'text', (column) => column.notNull())
    .addColumn('subject_id', id, (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createIndex('screening_alerts_owner')
    .on('screening_alerts')
    .columns(['customer', 'world', 'id'])
    .execute();
  await trx.schema
    .createIndex('screening_alerts_subject')
    .on('screening_alerts')
    .columns(['subject_id', 'id'])
    .execute();

  await trx.schema
    .createTable('watched_lists')
    .addColumn('name', id, (column) => column.primaryKey())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('built_at', integer, (column) => column.notNull())
    .addColumn('worked_at', integer, (column) => column.notNull())
    .execute();
}
