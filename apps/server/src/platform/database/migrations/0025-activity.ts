// What happened, counted by day and key.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const activity: Migration = { name: '0025-activity', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer } = columnTypes(engine);
  await trx.schema
    .createTable('activity_counts')
    .addColumn('day', id, (column) => column.notNull())
    .addColumn('api_key_id', id, (column) => column.notNull())
    .addColumn('name', id, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('activity_counts_key', ['day', 'api_key_id', 'name'])
    .execute();
}
