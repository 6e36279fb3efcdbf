// Age keys: what a passkey proves of an earlier check.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const ageKeys: Migration = { name: '0016-age-keys', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('age_keys')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('revision', integer, (column) => column.notNull())
    .addColumn('ends_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('age_keys_end').on('age_keys').column('ends_at').execute();
}
