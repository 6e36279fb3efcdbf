// A case outlives its session, whose token is then known to nothing else. Its digest leads a host's DELETE to the case.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const keptCases: Migration = { name: '0041-kept-cases', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('review_tokens')
    .addColumn('token_lookup', bytes, (column) => column.primaryKey())
    .addColumn('case_id', id, (column) => column.notNull().references('review_cases.id').onDelete('cascade'))
    .execute();
  await trx.schema.createIndex('review_tokens_case').on('review_tokens').column('case_id').execute();
}
