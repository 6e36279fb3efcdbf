// What a device sealed for the one that its session is handed to: for five minutes at most.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const handoffBoxes: Migration = { name: '0011-handoff-boxes', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('handoff_boxes')
    .addColumn('session_id', id, (column) => column.primaryKey())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('handoff_boxes_expiry').on('handoff_boxes').column('expires_at').execute();
}
