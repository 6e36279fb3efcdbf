// The host and pid of each process, so that commands can name it.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const processHosts: Migration = { name: '0048-process-hosts', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  await trx.schema.alterTable('processes').addColumn('host', 'text').execute();
  await trx.schema.alterTable('processes').addColumn('pid', columnTypes(engine).integer).execute();
}
