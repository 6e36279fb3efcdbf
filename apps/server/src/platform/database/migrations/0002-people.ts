// Galleries, the people in them, and their sealed embeddings.
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const people: Migration = { name: '0002-people', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const { id, integer, bytes } = columnTypes(engine);

  await trx.schema
    .createTable('galleries')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('model_version', id, (column) => column.notNull())
    .addColumn('dimensions', integer, (column) => column.notNull())
    .addColumn('guid', id, (column) => column.notNull().unique())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('log_floor', integer, (column) => column.notNull())
    .addColumn('people', integer, (column) => column.notNull())
    .addColumn('embeddings', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addUniqueConstraint('galleries_of_customer', ['customer', 'model_version', 'dimensions'])
    .execute();

  await trx.schema
    .createTable('people')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('gallery_id', id, (column) => column.notNull().references('galleries.id'))
    .addColumn('puid', id, (column) => column.notNull().unique())
    .addColumn('identifier_digest', bytes)
    .addColumn('enroll_level', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .execute();
  await trx.schema
    .createIndex('people_identifier')
    .on('people')
    .columns(['gallery_id', 'identifier_digest', 'id'])
    .execute();

  await trx.schema
    .createTable('embeddings')
    .addColumn('gallery_id', id, (column) => column.notNull().references('galleries.id'))
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('id', id, (column) => column.notNull())
    .addColumn('person_id', id, (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('embeddings_pk', ['gallery_id', 'seq'])
    .execute();
  await trx.schema.createIndex('embeddings_person').on('embeddings').column('person_id').execute();

  await trx.schema
    .createTable('gallery_removals')
    .addColumn('gallery_id', id, (column) => column.notNull().references('galleries.id'))
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('removed_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('gallery_removals_pk', ['gallery_id', 'version'])
    .execute();
  await trx.schema.createIndex('gallery_removals_age').on('gallery_removals').column('removed_at').execute();
}
