// The time of the last heartbeat, and where it was on the count of its machine: a start notices by them that its clock is wrong.
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
    .addColumn('boot', 'text')
    .addColumn('uptime_ms', integer, (column) => column.notNull())
    .execute();
}
