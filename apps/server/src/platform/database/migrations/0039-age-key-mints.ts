// Age keys name, by a digest, the API key and the month that they were made in; keys that name neither no longer count and are purged.
// Counts of the keys that are made in an hour.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const ageKeyMints: Migration = { name: '0039-age-key-mints', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer } = columnTypes(engine);
  await trx.schema.alterTable('age_keys').addColumn('minted', id).execute();
  await trx.schema.createIndex('age_keys_minted').on('age_keys').column('minted').execute();
  await trx.schema
    .createTable('age_key_making')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('made', integer, (column) => column.notNull())
    .addColumn('ends_at', integer, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('age_key_making_end').on('age_key_making').column('ends_at').execute();
}
