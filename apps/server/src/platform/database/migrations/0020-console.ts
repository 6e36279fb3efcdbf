// Operators of the console with their passkeys and sessions, what sessions are found by there, and the record of it all.
import type { Engine, Transaction } from '../database.ts';
import { type ColumnTypes, columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const consoleTables: Migration = { name: '0020-console', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const types = columnTypes(engine);
  await createOperators(trx, types);
  await createMarks(trx, types);
  await createAudit(trx, types);
}

async function createOperators(trx: Transaction, { id, integer, bytes }: ColumnTypes): Promise<void> {
  await trx.schema
    .createTable('operators')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('name', id, (column) => column.notNull().unique())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('mac', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('operator_invites')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('operator_id', id, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('mac', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('operator_passkeys')
    .addColumn('credential_id', id, (column) => column.primaryKey())
    .addColumn('operator_id', id, (column) => column.notNull())
    .addColumn('public_key', bytes, (column) => column.notNull())
    .addColumn('counter', integer, (column) => column.notNull())
    .addColumn('answered_at', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('mac', bytes, (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('operator_sessions')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('token_lookup', bytes, (column) => column.notNull().unique())
    .addColumn('operator_id', id, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('ends_at', integer, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
}

async function createMarks(trx: Transaction, { id, integer, bytes }: ColumnTypes): Promise<void> {
  await trx.schema
    .createTable('session_marks')
    .addColumn('mark', bytes, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('session_id', id, (column) => column.notNull())
    .addPrimaryKeyConstraint('session_marks_key', ['mark', 'created_at', 'session_id'])
    .execute();
  await trx.schema.createIndex('session_marks_session').on('session_marks').column('session_id').execute();
  // The list is in this order, of all and of one key. What is open has an index already.
  await trx.schema.createIndex('sessions_created').on('sessions').columns(['created_at', 'id']).execute();
  await trx.schema.createIndex('sessions_key').on('sessions').columns(['api_key_id', 'created_at', 'id']).execute();
}

async function createAudit(trx: Transaction, { id, integer, bytes }: ColumnTypes): Promise<void> {
  await trx.schema
    .createTable('audit_lines')
    .addColumn('seq', integer, (column) => column.primaryKey())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('operator_id', id, (column) => column.notNull())
    .addColumn('act', 'text', (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .execute();
  await trx.schema.createIndex('audit_lines_operator').on('audit_lines').columns(['operator_id', 'seq']).execute();
  await trx.schema.createIndex('audit_lines_act').on('audit_lines').columns(['act', 'seq']).execute();
  await trx.schema
    .createTable('audit_segments')
    .addColumn('day', id, (column) => column.primaryKey())
    .addColumn('first_seq', integer, (column) => column.notNull())
    .addColumn('lines', integer, (column) => column.notNull())
    .addColumn('start', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('pruned', integer, (column) => column.notNull())
    .addColumn('signature', bytes, (column) => column.notNull())
    .execute();
}
