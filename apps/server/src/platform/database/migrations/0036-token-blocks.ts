// Blocks of four face tokens each, which searches compare in place of the tokens.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const tokenBlocks: Migration = { name: '0036-token-blocks', phase: 'expand', up };

const PLACES = [0, 1, 2, 3] as const;

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  let table = trx.schema
    .createTable('token_blocks')
    .addColumn('gallery_id', id, (column) => column.notNull().references('galleries.id'))
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('id', id, (column) => column.notNull())
    .addColumn('epoch', id, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('token_blocks_pk', ['gallery_id', 'seq']);
  for (const place of PLACES) {
    // Whoever deletes one of the four tokens, by whatever way, deletes the block.
    table = table
      .addColumn(`token_${place}`, integer, (column) => column.notNull())
      .addColumn(`person_${place}`, id, (column) => column.notNull())
      .addForeignKeyConstraint(
        `token_blocks_token_${place}`,
        ['gallery_id', `token_${place}`],
        'tokens',
        ['gallery_id', 'seq'],
        (constraint) => constraint.onDelete('cascade'),
      );
  }
  await table.execute();
  for (const place of PLACES)
    await trx.schema
      .createIndex(`token_blocks_by_token_${place}`)
      .on('token_blocks')
      .columns(['gallery_id', `token_${place}`])
      .execute();
}
