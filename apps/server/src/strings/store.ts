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

interface ListStart {
  owner: OwnerName;
  /** Only older records than this one. */
  before: string | undefined;
  limit: number;
}

export function createStringStore({ queries, prepare, prepareOne }: Database) {
  const find = prepareOne((owner: OwnerName, id: string) =>
    queries.selectFrom('strings').select(['id', 'value', 'created_at']).where('owner', '=', owner).where('id', '=', id),
  );
  const insertOne = prepare((owner: OwnerName, id: string, value: string, created_at: number, bytes: number) =>
    queries.insertInto('strings').values({ owner, id, value, created_at, bytes }),
  );

  return {
    /** In the given transaction, or by itself. */
    async insert(owner: OwnerName, row: StringRow & { bytes: number }, trx?: Transaction) {
      if (trx)
        await trx
          .insertInto('strings')
          .values({ owner, ...row })
          .execute();
      else await insertOne(owner, row.id, row.value, row.created_at, row.bytes);
    },

    find,

    /** Ids and value sizes of the next records, newest first, without reading the values. */
    listSizes({ owner, before, limit }: ListStart) {
      let query = queries.selectFrom('strings').select(['id', 'bytes']).where('owner', '=', owner);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    /** Records from `newest` down to `oldest`, both included, and no more than `limit`. */
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

    /** Returns the size of the value; undefined if there is no such record. */
    async delete(trx: Transaction, owner: OwnerName, id: string) {
      const deleted = await trx
        .deleteFrom('strings')
        .where('owner', '=', owner)
        .where('id', '=', id)
        .returning('bytes')
        .executeTakeFirst();
      return deleted?.bytes;
    },

    /** Records of this world with the bytes of their values. Records that were made without a key count as live. */
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

export type StringStore = ReturnType<typeof createStringStore>;
