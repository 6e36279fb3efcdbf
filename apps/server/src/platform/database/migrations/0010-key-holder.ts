// Keys by which the key-holder's audit names people, and which key-holder a database belongs to.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const keyHolder: Migration = { name: '0010-key-holder', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);
  await trx.schema
    .createTable('person_keys')
    .addColumn('person_id', id, (column) => column.primaryKey().references('people.id').onDelete('cascade'))
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('key_holder')
    .addColumn('one', integer, (column) => column.primaryKey())
    .addColumn('identity', bytes, (column) => column.notNull())
    .addColumn('thread', id)
    .addColumn('recorded_at', integer, (column) => column.notNull())
    .execute();
}
