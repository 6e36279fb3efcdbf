// What the devices of a session have agreed on with the service.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const deviceChannels: Migration = { name: '0005-device-channels', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('device_channels')
    .addColumn('session_id', id, (column) => column.primaryKey())
    .addColumn('revision', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
}
