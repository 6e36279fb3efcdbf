// Lists that all processes of one database screen against: which version is in force, and its index in pieces.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const sharedLists: Migration = { name: '0032-shared-lists', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('shared_lists')
    .addColumn('name', id, (column) => column.primaryKey())
    .addColumn('sum', id)
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('shared_list_parts')
    .addColumn('sum', id, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('contents', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('shared_list_parts_pk', ['sum', 'number'])
    .execute();
}
