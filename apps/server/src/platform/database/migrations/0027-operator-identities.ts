// Operators who come from an identity provider.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const operatorIdentities: Migration = { name: '0027-operator-identities', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('operator_identities')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('operator_id', id, (column) => column.notNull().unique())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('mac', bytes, (column) => column.notNull())
    .execute();
}
