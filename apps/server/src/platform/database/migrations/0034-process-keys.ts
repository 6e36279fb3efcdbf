// Which data keys each process holds, so that none is used that one of them does not know, and none destroyed that one still seals with.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const processKeys: Migration = { name: '0034-process-keys', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id } = columnTypes(engine);
  await trx.schema.alterTable('processes').addColumn('opens_with', id).execute();
  await trx.schema.alterTable('processes').addColumn('seals_with', id).execute();
}
