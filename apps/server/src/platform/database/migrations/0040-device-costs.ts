// Traits of API keys, and the digests that recognize bursts and repeated step logs.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const deviceCosts: Migration = { name: '0040-device-costs', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('api_key_traits')
    .addColumn('key_id', id, (column) => column.primaryKey())
    .addColumn('native_app', integer, (column) => column.notNull())
    .addColumn('kiosk', integer, (column) => column.notNull())
    .addColumn('mac', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('recent_logs')
    .addColumn('digest', bytes, (column) => column.primaryKey())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('recent_logs_by_time').on('recent_logs').column('seen_at').execute();
  await trx.schema
    .createTable('recent_checks')
    .addColumn('digest', bytes, (column) => column.notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .addColumn('checks', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('recent_checks_pk', ['digest', 'seen_at'])
    .execute();
  await trx.schema.createIndex('recent_checks_by_time').on('recent_checks').column('seen_at').execute();
}
