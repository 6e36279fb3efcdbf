// The keys that sign results and receipts of deletions.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const signingKeys: Migration = { name: '0017-signing-keys', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('signing_keys')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('world', 'text', (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('signs_from', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createIndex('signing_keys_number')
    .unique()
    .on('signing_keys')
    .columns(['world', 'number'])
    .execute();
}
