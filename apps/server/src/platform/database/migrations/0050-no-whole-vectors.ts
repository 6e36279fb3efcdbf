// Face vectors in pgvector are kept in half precision, in a table of their own; the one that held them whole goes.
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const noWholeVectors: Migration = { name: '0050-no-whole-vectors', phase: 'contract', up };

async function up(trx: Transaction): Promise<void> {
  // Made where pgvector is used, by no migration: most databases never had it.
  await trx.schema.dropTable('gallery_vectors').ifExists().execute();
}
