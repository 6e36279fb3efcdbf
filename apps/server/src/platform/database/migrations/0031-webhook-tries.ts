// Each try of a webhook with its time, sealed beside the delivery that it belongs to; before, only the last one's was kept.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const webhookTries: Migration = { name: '0031-webhook-tries', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  await trx.schema.alterTable('webhook_deliveries').addColumn('tries', columnTypes(engine).bytes).execute();
}
