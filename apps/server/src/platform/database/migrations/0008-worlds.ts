// Live and test become two worlds: whatever a customer owns gets the world of the keys that made it.
//
// A session and its deliveries name their key. People name none, so their gallery goes to the test world only when all keys
// of the customer are of that world, and passkeys and devices go with their people. Face tokens that moved to the test world
// cannot be compared any more, because the key-holder knows that world under another name: those people enrol again.
import { sql } from 'kysely';
import type { CustomerId } from '../../ids.ts';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const worlds: Migration = { name: '0008-worlds', up };

/** Of everything that names a customer, until the steps below say otherwise. */
const DEFAULT_WORLD = 'live';

async function up(trx: Transaction, engine: Engine): Promise<void> {
  await addWorldToGalleries(trx, engine);
  for (const table of ['sessions', 'webhook_deliveries', 'passkeys', 'person_devices']) {
    await trx.schema
      .alterTable(table)
      .addColumn('world', 'text', (column) => column.notNull().defaultTo(DEFAULT_WORLD))
      .execute();
  }
  await moveGalleries(trx);
  for (const table of ['sessions', 'webhook_deliveries'] as const) {
    const testKeys = trx.selectFrom('api_keys').select('id').where('kind', '!=', 'live');
    await trx.updateTable(table).set({ world: 'test' }).where('api_key_id', 'in', testKeys).execute();
  }
  for (const table of ['passkeys', 'person_devices'] as const) {
    await trx.updateTable(table).set({ world: 'test' }).where('person_id', 'in', testPeople(trx)).execute();
  }
  await moveStrings(trx);
  await forgetTestReplies(trx);
  await trx.schema.dropIndex('webhook_deliveries_customer').execute();
  await trx.schema
    .createIndex('webhook_deliveries_owner')
    .on('webhook_deliveries')
    .columns(['customer', 'world', 'id'])
    .execute();
}

/** One gallery per world, model version and length. SQLite cannot change a constraint: the table is made anew. */
async function addWorldToGalleries(trx: Transaction, engine: Engine): Promise<void> {
  const unique = ['customer', 'world', 'model_version', 'dimensions'] as const;
  if (engine === 'postgres') {
    await trx.schema
      .alterTable('galleries')
      .addColumn('world', 'text', (column) => column.notNull().defaultTo(DEFAULT_WORLD))
      .execute();
    await trx.schema.alterTable('galleries').dropConstraint('galleries_of_customer').execute();
    await trx.schema
      .alterTable('galleries')
      .addUniqueConstraint('galleries_of_owner', [...unique])
      .execute();
    return;
  }
  const { id, integer } = columnTypes(engine);
  // People refer to galleries; looked at again at the end, when all of them are back.
  await sql`pragma defer_foreign_keys = on`.execute(trx);
  await sql`create temporary table galleries_before as select * from galleries`.execute(trx);
  await trx.schema.dropTable('galleries').execute();
  await trx.schema
    .createTable('galleries')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('customer', id, (column) => column.notNull())
    .addColumn('world', 'text', (column) => column.notNull())
    .addColumn('model_version', id, (column) => column.notNull())
    .addColumn('dimensions', integer, (column) => column.notNull())
    .addColumn('guid', id, (column) => column.notNull().unique())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('log_floor', integer, (column) => column.notNull())
    .addColumn('people', integer, (column) => column.notNull())
    .addColumn('embeddings', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('tokens', integer, (column) => column.notNull())
    .addColumn('token_epoch', id)
    .addUniqueConstraint('galleries_of_owner', [...unique])
    .execute();
  await sql`insert into galleries (id, customer, world, model_version, dimensions, guid, version, log_floor, people, embeddings,
      created_at, tokens, token_epoch)
    select id, customer, ${DEFAULT_WORLD}, model_version, dimensions, guid, version, log_floor, people, embeddings,
      created_at, tokens, token_epoch from galleries_before`.execute(trx);
  await sql`drop table galleries_before`.execute(trx);
}

/** Customers that have keys and none of them is live. One without a key at all is waiting for one, and that will be live. */
function testCustomers(trx: Transaction) {
  return trx
    .selectFrom('api_keys')
    .select(({ fn }) => fn.coalesce('customer_id', 'id').$castTo<CustomerId>().as('customer'))
    .groupBy(({ fn }) => fn.coalesce('customer_id', 'id'))
    .having(({ fn, eb }) => eb(fn.sum(eb.case().when('kind', '=', 'live').then(1).else(0).end()), '=', 0));
}

async function moveGalleries(trx: Transaction): Promise<void> {
  await trx
    .updateTable('galleries')
    // The next enrolment names the key-holder's key of the test world.
    .set({ world: 'test', token_epoch: null })
    .where('customer', 'in', testCustomers(trx))
    .execute();
}

function testPeople(trx: Transaction) {
  return trx
    .selectFrom('people')
    .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
    .select('people.id')
    .where('galleries.world', '=', 'test');
}

/** A closed string store goes by the owner's name, which in the test world is no longer the customer's. */
async function moveStrings(trx: Transaction): Promise<void> {
  await trx
    .updateTable('strings')
    .set({ owner: sql<string>`'@test/' || owner` })
    .where('owner', '!=', '')
    .where('owner', 'in', testCustomers(trx))
    .execute();
}

/**
 * What a test key was answered must not be the answer to a live one with the same Idempotency-Key. The digests are made for the
 * place where they lie, so these rows cannot move; they would have ended within a day.
 */
async function forgetTestReplies(trx: Transaction): Promise<void> {
  const ofSessions = trx
    .selectFrom('sessions')
    .select(sql<string>`'sessions/' || id`.as('resource'))
    .where('world', '=', 'test');
  const ofPeople = trx
    .selectFrom('people')
    .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
    .select(sql<string>`'people/' || people.id`.as('resource'))
    .where('galleries.world', '=', 'test');
  const ofStrings = trx
    .selectFrom('strings')
    .select(sql<string>`'strings/' || id`.as('resource'))
    .where('owner', 'like', '@test/%');
  for (const resources of [ofSessions, ofPeople, ofStrings]) {
    await trx.deleteFrom('idempotency_keys').where('resource', 'in', resources).execute();
  }
}
