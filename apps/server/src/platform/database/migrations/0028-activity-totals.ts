// What the overview adds up, in the order in which it is added up and without a look at the table: a year of many keys is read at once.
import type { Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const activityTotals: Migration = { name: '0028-activity-totals', up };

async function up(trx: Transaction): Promise<void> {
  const columns = ['day', 'name', 'api_key_id', 'count'];
  await trx.schema.createIndex('activity_counts_totals').on('activity_counts').columns(columns).execute();
}
