// The time of the last heartbeat, by which a start notices a clock that is wrong.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const clock: Migration = { name: '0047-clock', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { integer } = columnTypes(engine);
  await trx.schema
    .createTable('clock')
    .addColumn('id', integer, (column) => column.primaryKey())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .execute();
}
