// Knows which engine screened a subject last, and where more match than are kept.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const watchedEngines: Migration = { name: '0019-watched-engines', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { integer } = columnTypes(engine);
  for (const column of ['engine', 'more_hits']) {
    await trx.schema
      .alterTable('watched_subjects')
      .addColumn(column, integer, (added) => added.notNull().defaultTo(0))
      .execute();
  }
  await trx.schema
    .createIndex('watched_subjects_engine')
    .on('watched_subjects')
    .columns(['state', 'engine', 'id'])
    .execute();
  await trx.schema.dropIndex('watched_subjects_state').execute();
  await trx.schema
    .createIndex('watched_subjects_progress')
    .on('watched_subjects')
    .columns(['customer', 'world', 'state', 'engine'])
    .execute();
}
