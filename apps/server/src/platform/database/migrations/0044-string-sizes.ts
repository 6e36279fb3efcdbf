// The size of each string, in an index of its own: the store is added up without a look at the values.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const stringSizes: Migration = { name: '0044-string-sizes', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { integer } = columnTypes(engine);
  await trx.schema.alterTable('strings').addColumn('bytes', integer).execute();
  await trx.schema.createIndex('strings_sizes').on('strings').columns(['bytes', 'owner']).execute();
}
