// Finds who has a hit on an entity, lists who has changed, and knows when everybody was last screened.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const watchedDeltas: Migration = { name: '0015-watched-deltas', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { integer } = columnTypes(engine);
  // With all that is asked of everybody, so that the rows themselves, which are large, are not read.
  await trx.schema
    .createIndex('watched_subjects_versions')
    .on('watched_subjects')
    .columns(['id', 'changed_at'])
    .execute();
  await trx.schema
    .createIndex('watched_subjects_state')
    .on('watched_subjects')
    .columns(['customer', 'world', 'state'])
    .execute();
  await trx.schema.createIndex('watched_hits_entity').on('watched_hits').column('entity_digest').execute();
  await trx.schema
    .alterTable('watched_lists')
    .addColumn('begun', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await trx.schema
    .alterTable('watched_lists')
    .addColumn('seen_at', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await trx.schema
    .alterTable('watched_lists')
    .addColumn('everybody_at', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  // Until now, everybody was screened at every change.
  await trx
    .updateTable('watched_lists')
    .set(({ ref }) => ({ everybody_at: ref('worked_at') }))
    .execute();
}
