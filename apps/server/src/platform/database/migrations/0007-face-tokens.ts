// Face tokens, passkeys and devices of people, and what ties a session to the person it was about.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { type ColumnTypes, columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const faceTokens: Migration = { name: '0007-face-tokens', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const types = columnTypes(engine);
  await extendPeople(trx, types);
  await createTokens(trx, types);
  await createPasskeys(trx, types);
  await createPersonDevices(trx, types);
  await extendSessions(trx, types);
}

async function extendPeople(trx: Transaction, { id, integer }: ColumnTypes): Promise<void> {
  await trx.schema
    .alterTable('galleries')
    .addColumn('tokens', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await trx.schema.alterTable('galleries').addColumn('token_epoch', id).execute();
  await trx.schema.alterTable('people').addColumn('provisional_session', id).execute();
  await trx.schema
    .createIndex('people_provisional')
    .on('people')
    .column('provisional_session')
    .where(sql.ref('provisional_session'), 'is not', null)
    .execute();
  // A search asks which people of a gallery it must leave out.
  await trx.schema
    .createIndex('people_provisional_gallery')
    .on('people')
    .columns(['gallery_id', 'id'])
    .where(sql.ref('provisional_session'), 'is not', null)
    .execute();
  await trx.schema
    .createTable('enrolling_sessions')
    .addColumn('person_id', id, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('session_id', id, (column) => column.notNull())
    .addColumn('made', integer, (column) => column.notNull())
    .addColumn('joined_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('enrolling_sessions_pk', ['person_id', 'session_id'])
    .execute();
  await trx.schema.createIndex('enrolling_sessions_session').on('enrolling_sessions').column('session_id').execute();
}

async function createTokens(trx: Transaction, { id, integer, bytes }: ColumnTypes): Promise<void> {
  await trx.schema
    .createTable('tokens')
    .addColumn('gallery_id', id, (column) => column.notNull().references('galleries.id'))
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('id', id, (column) => column.notNull())
    .addColumn('person_id', id, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('epoch', id, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('tokens_pk', ['gallery_id', 'seq'])
    .execute();
  await trx.schema.createIndex('tokens_person').on('tokens').column('person_id').execute();
  // Renewal looks for those of the old key.
  await trx.schema.createIndex('tokens_epoch').on('tokens').columns(['gallery_id', 'epoch', 'seq']).execute();
}

async function createPasskeys(trx: Transaction, { id, integer, bytes }: ColumnTypes): Promise<void> {
  await trx.schema
    .createTable('passkeys')
    .addColumn('credential_id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('person_id', id, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('public_key', bytes, (column) => column.notNull())
    .addColumn('counter', integer, (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('vouched', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('last_used_at', integer, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('passkeys_person').on('passkeys').column('person_id').execute();
}

async function createPersonDevices(trx: Transaction, { id, integer, bytes }: ColumnTypes): Promise<void> {
  await trx.schema
    .createTable('person_devices')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('person_id', id, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('public_key', bytes, (column) => column.notNull())
    .addColumn('local_uses', integer, (column) => column.notNull())
    .addColumn('vouched', integer, (column) => column.notNull())
    .addColumn('provisional_session', id)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('last_used_at', integer, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('person_devices_person').on('person_devices').column('person_id').execute();
  await trx.schema
    .createIndex('person_devices_provisional')
    .on('person_devices')
    .column('provisional_session')
    .where(sql.ref('provisional_session'), 'is not', null)
    .execute();
}

async function extendSessions(trx: Transaction, { id, bytes }: ColumnTypes): Promise<void> {
  await trx.schema.alterTable('sessions').addColumn('person_id', id).execute();
  await trx.schema
    .createIndex('sessions_person')
    .on('sessions')
    .columns(['person_id', 'purge_at', 'id'])
    .where(sql.ref('person_id'), 'is not', null)
    .execute();
  await trx.schema
    .createTable('session_evidence')
    .addColumn('session_id', id, (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('session_selfies')
    .addColumn('session_id', id, (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
    .addColumn('nonce', id, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
}
