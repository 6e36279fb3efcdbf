// Blocks of face tokens are sealed for their tokens too. Earlier ones are not and no longer open; they go, and are made anew of the
// tokens, which stay.
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const blocksAnew: Migration = { name: '0051-blocks-anew', phase: 'contract', up };

async function up(trx: Transaction): Promise<void> {
  await trx.deleteFrom('token_blocks').execute();
}
