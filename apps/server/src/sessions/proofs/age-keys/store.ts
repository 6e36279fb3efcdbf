// The SQL of age keys. Key data is sealed. Rows are found by a digest of world and credential.
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { World } from '../../../platform/base/world.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { EarnedAge } from '../../lifecycle/kinds.ts';
import { AGE_KEYS_PER_HOUR } from '../../limits.ts';
import { tables } from '../../tables.ts';
import { computeMonthEnd, type DailyUses, endOfHour } from './rules.ts';

export interface AgeKey extends EarnedAge {
  /** Keyed digest of the customer that earned the key, base64url. */
  customer: string;
  /** Keyed digest of the API key and the month, base64url. */
  minted: string;
  /** COSE key, base64url. */
  publicKey: string;
  counter: number;
  uses?: DailyUses;
}

type AgeKeyRow = Pick<Schema['age_keys'], 'id' | 'revision'>;

/** Subjects of the limits on making. The address is undefined if it may be a proxy's. */
export interface AgeKeyMaker {
  apiKeyId: string;
  address: string | undefined;
}

/** Exclusive upper bound of a random revision, the maximum of `randomInt`. */
const REVISIONS = 2 ** 48 - 1;

export function createAgeKeyStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer) {
  const idOf = (world: World, credentialId: string) => digestText(sealer, 'id', world, credentialId);
  const mintOf = (apiKeyId: string, month: string) => digestText(sealer, 'minted', apiKeyId, month);
  const selectMinted = (apiKeyId: string, months: readonly string[]) =>
    queries.selectFrom('age_keys').where(
      'minted',
      'in',
      months.map((month) => mintOf(apiKeyId, month)),
    );

  return {
    ...createMakingCounts(queries, sealer),
    mintOf,

    async insert(trx: Transaction, world: World, credentialId: string, key: AgeKey) {
      const id = idOf(world, credentialId);
      const { month, minted } = key;
      const sealed = sealer.sealJson(key, tables.age_keys.places.sealed({ id }));
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('age_keys')
        .values({ id, revision: randomInt(REVISIONS), ends_at: computeMonthEnd(month), minted, sealed })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    /** Returns undefined for an expired key, even if the row still exists. */
    async find(world: World, credentialId: string, now: number) {
      const id = idOf(world, credentialId);
      const row = await queries.selectFrom('age_keys').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const key = sealer.openJson(row.sealed, tables.age_keys.places.sealed({ id })) as AgeKey;
      // Both columns exist for searches and may have been edited. The sealed values decide.
      return row.minted === key.minted && computeMonthEnd(key.month) > now
        ? { id, revision: row.revision, key }
        : undefined;
    },

    /** Returns false if the row changed or is gone since it was read. */
    async change({ id, revision }: AgeKeyRow, key: AgeKey) {
      const { numUpdatedRows } = await queries
        .updateTable('age_keys')
        // Random: a plain counter would show how often a key was used between two database copies.
        .set({ revision: randomInt(REVISIONS), sealed: sealer.sealJson(key, tables.age_keys.places.sealed({ id })) })
        .where('id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async remove({ id }: Pick<AgeKeyRow, 'id'>) {
      const { numDeletedRows } = await queries.deleteFrom('age_keys').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Counts the keys that sessions of an API key earned in these months, `YYYY-MM`. */
    async countMinted(apiKeyId: string, months: readonly string[]) {
      const { count } = await selectMinted(apiKeyId, months)
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    removeMinted: async (apiKeyId: string, months: readonly string[], limit: number) =>
      removeRows(queries, await selectMinted(apiKeyId, months).select('id').limit(limit).execute()),

    /** Deletes the counts of past hours and at most `limit` expired keys; returns the number of keys. */
    async purge(now: number, limit: number) {
      await queries.deleteFrom('age_key_making').where('ends_at', '<=', now).execute();
      const query = queries.selectFrom('age_keys').select('id').where('ends_at', '<=', now);
      return removeRows(queries, await query.limit(limit).execute());
    },
  };
}

export type AgeKeyStore = ReturnType<typeof createAgeKeyStore>;

async function removeRows(queries: Queries, rows: readonly { id: string }[]): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await queries.deleteFrom('age_keys').where('id', 'in', ids).execute();
  return rows.length;
}

function createMakingCounts(queries: Queries, sealer: Sealer) {
  const rowsOf = ({ apiKeyId, address }: AgeKeyMaker, now: number) => {
    const row = (limit: keyof typeof AGE_KEYS_PER_HOUR, maker: string) => ({
      limit,
      id: digestText(sealer, 'making', limit, maker, endOfHour(now)),
    });
    return [...(address === undefined ? [] : [row('address', address)]), row('api_key', apiKeyId)];
  };

  return {
    async findReachedLimit(maker: AgeKeyMaker, now: number) {
      for (const { limit, id } of rowsOf(maker, now)) {
        const query = queries.selectFrom('age_key_making').select('made').where('id', '=', id);
        if (((await query.executeTakeFirst())?.made ?? 0) >= AGE_KEYS_PER_HOUR[limit]) return limit;
      }
      return undefined;
    },

    async countMaking(trx: Transaction, maker: AgeKeyMaker, now: number) {
      for (const { limit, id } of rowsOf(maker, now)) {
        const { numInsertedOrUpdatedRows = 0n } = await trx
          .insertInto('age_key_making')
          .values({ id, made: 1, ends_at: endOfHour(now) })
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({ made: sql`age_key_making.made + 1` })
              .where('age_key_making.made', '<', AGE_KEYS_PER_HOUR[limit]),
          )
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 0n) return limit;
      }
      return undefined;
    },
  };
}

function digestText(sealer: Sealer, purpose: string, ...parts: (string | number)[]): string {
  return sealer.digest(`age_keys/${purpose}`, parts.join('\n')).toString('base64url');
}
