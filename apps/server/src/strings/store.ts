// The SQL of the string store.
import { sql } from 'kysely';
import { type OwnerName, TEST_PREFIX } from '../platform/api-keys/owner.ts';
import type { World } from '../platform/base/world.ts';
import type { Database, Transaction } from '../platform/database/database.ts';

export interface StringRow {
  id: string;
  value: string;
  created_at: number;
}

export function createStringStore({ queries, prepare, prepareOne }: Database) {
  const find = prepareOne((owner: OwnerName, id: string) =>
    queries.selectFrom('strings').select(['id', 'value', 'created_at']).where('owner', '=', owner).where('id', '=', id),
  );
  const insertOne = prepare((owner: OwnerName, id: string, value: string, created_at: number, bytes: number) =>
    queries.insertInto('strings').values({ owner, id, value, created_at, bytes }),
  );

  return {
    async insert(owner: OwnerName, { id, value, created_at, bytes }: StringRow & { bytes: number }, trx?: Transaction) {
      if (trx) await trx.insertInto('strings').values({ owner, id, value, created_at, bytes }).execute();
      else await insertOne(owner, id, value, created_at, bytes);
    },

    find,

    /** Lists ids and value sizes of the records before `before`, newest first, without reading the values. */
    listSizes(owner: OwnerName, before: string | undefined, limit: number) {
      let query = queries.selectFrom('strings').select(['id', 'bytes']).where('owner', '=', owner);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    /** Lists at most `limit` records from `newest` to `oldest`, both included. */
    listRange: (owner: OwnerName, newest: string, oldest: string, limit: number) =>
      queries
        .selectFrom('strings')
        .select(['id', 'value', 'created_at'])
        .where('owner', '=', owner)
        .where('id', '<=', newest)
        .where('id', '>=', oldest)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** Returns the size of the value, or undefined if there is no such record. */
    async delete(trx: Transaction, owner: OwnerName, id: string) {
      const deleted = await trx
        .deleteFrom('strings')
        .where('owner', '=', owner)
        .where('id', '=', id)
        .returning('bytes')
        .executeTakeFirst();
      return deleted?.bytes;
    },

    /** Counts records of a world and the bytes of their values. Records created without a key count as live. */
    async count(world: World) {
      const beginning = sql<string>`substr(owner, 1, ${sql.lit(TEST_PREFIX.length)})`;
      const row = await queries
        .selectFrom('strings')
        .select(({ fn }) => [fn.countAll<number>().as('rows'), sql<number>`coalesce(sum(bytes), 0)`.as('bytes')])
        .where(beginning, world === 'test' ? '=' : '!=', TEST_PREFIX)
        .executeTakeFirstOrThrow();
      return { rows: Number(row.rows), bytes: Number(row.bytes) };
    },
  };
}
