// Which processes work on the database and how much of its schema they know; and the phase of each migration from here on, so that an
// earlier version can tell what it can live with.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const processes: Migration = { name: '0033-processes', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer } = columnTypes(engine);
  await trx.schema.alterTable('schema_migrations').addColumn('phase', 'text').execute();
  await trx.schema
    .createTable('processes')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('knows', id, (column) => column.notNull())
    .addColumn('started_at', integer, (column) => column.notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .execute();
}
