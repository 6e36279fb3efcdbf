// Sessions of either kind.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const sessions: Migration = { name: '0003-sessions', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('sessions')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('token_lookup', bytes, (column) => column.notNull().unique())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('api_key_id', id, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('ended_at', integer)
    .addColumn('purge_at', integer)
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('outcome', bytes)
    .execute();
  // Each timer finds its rows without touching those of the other.
  await trx.schema
    .createIndex('sessions_open')
    .on('sessions')
    .columns(['expires_at', 'id'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await trx.schema
    .createIndex('sessions_ended')
    .on('sessions')
    .columns(['purge_at', 'id'])
    .where(sql.ref('purge_at'), 'is not', null)
    .execute();
}
