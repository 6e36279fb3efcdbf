// What the console looks at most, for any number of keys and cases: the sums of a day kept as they are counted, one key's counts in one
// place of an index, and an inbox that is filtered in its index.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const consoleFigures: Migration = { name: '0029-console-figures', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer } = columnTypes(engine);
  const totals = trx.schema
    .createTable('activity_totals')
    .addColumn('day', id, (column) => column.notNull())
    .addColumn('world', 'text', (column) => column.notNull())
    .addColumn('name', id, (column) => column.notNull())
    .addColumn('count', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('activity_totals_key', ['day', 'world', 'name']);
  // Read by ranges of days: without a table beside the key, that is one look instead of two for each row.
  await (engine === 'sqlite' ? totals.modifyEnd(sql`without rowid`) : totals).execute();
  await sql`
    insert into activity_totals (day, world, name, count)
    select counted.day, case when api_keys.kind = 'live' then 'live' else 'test' end, counted.name, sum(counted.count)
    from activity_counts counted left join api_keys on api_keys.id = counted.api_key_id
    group by 1, 2, 3`.execute(trx);
  await trx.schema.dropIndex('activity_counts_totals').execute();
  const ofOneKey = ['api_key_id', 'day', 'name', 'count'];
  await trx.schema.createIndex('activity_counts_of_key').on('activity_counts').columns(ofOneKey).execute();

  await trx.schema.dropIndex('review_cases_due').execute();
  const inbox = ['state', 'due_at', 'id', 'kind', 'world', 'api_key_id', 'assignee_id'];
  await trx.schema.createIndex('review_cases_inbox').on('review_cases').columns(inbox).execute();
}
