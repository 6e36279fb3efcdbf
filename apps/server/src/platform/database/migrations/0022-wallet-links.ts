// Requests to wallets that went out as links or QR codes: what the answer is verified with, until it comes.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const walletLinks: Migration = { name: '0022-wallet-links', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('wallet_links')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('session_id', id, (column) => column.notNull().references('sessions.id').onDelete('cascade'))
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('wallet_links_session').on('wallet_links').column('session_id').execute();
  await trx.schema.createIndex('wallet_links_expiry').on('wallet_links').column('expires_at').execute();
}
