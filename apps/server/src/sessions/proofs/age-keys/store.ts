// The SQL of age keys. What is known of a key is sealed; its row is found by a digest of the credential and its world.
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { World } from '../../../platform/base/world.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { EarnedAge } from '../../lifecycle/kinds.ts';
import { AGE_KEYS_PER_HOUR } from '../../limits.ts';
import { tables } from '../../tables.ts';
import { type DailyUses, endOf, endOfHour } from './rules.ts';

export interface AgeKey extends EarnedAge {
  /** Keyed digest of the customer whose session earned the key, base64url. */
  customer: string;
  /** Keyed digest of the API key that the session was created with, and the month, base64url. */
  minted: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** As the authenticator counts. */
  counter: number;
  uses?: DailyUses;
}

interface AgeKeyRecord {
  id: string;
  revision: number;
  key: AgeKey;
}

/** API key and client address that a new age key counts for; the address is undefined if it may be a proxy's. */
export interface AgeKeyMaker {
  apiKeyId: string;
  address: string | undefined;
}

/** All keys that sessions of an API key earned in these months, `YYYY-MM`. At least one month. */
export interface Mints {
  apiKeyId: string;
  months: readonly string[];
}

/** Exclusive upper bound of a random revision: the most that `randomInt` draws from. */
const REVISIONS = 2 ** 48 - 1;

export function createAgeKeyStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer) {
  const idOf = (world: World, credentialId: string) => digestText(sealer, 'id', world, credentialId);
  const mintOf = (apiKeyId: string, month: string) => digestText(sealer, 'minted', apiKeyId, month);
  const digestsOf = ({ apiKeyId, months }: Mints) => months.map((month) => mintOf(apiKeyId, month));

  return {
    mintOf,

    /** False when there is one for this credential already. */
    async insert(trx: Transaction, world: World, credentialId: string, key: AgeKey) {
      const id = idOf(world, credentialId);
      const { month, minted } = key;
      const sealed = sealer.sealJson(key, tables.age_keys.places.sealed({ id }));
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('age_keys')
        .values({ id, revision: randomInt(REVISIONS), ends_at: endOf(month), minted, sealed })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    /** Undefined for one that has ended, whether its row is still there or not. */
    async find(world: World, credentialId: string, now: number) {
      const id = idOf(world, credentialId);
      const row = await queries.selectFrom('age_keys').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const key = sealer.openJson(row.sealed, tables.age_keys.places.sealed({ id })) as AgeKey;
      // Both columns are there to be searched, and may have been edited: the sealed values decide.
      return row.minted === key.minted && endOf(key.month) > now ? { id, revision: row.revision, key } : undefined;
    },

    /** False when it was changed or deleted since it was read. */
    async change({ id, revision }: AgeKeyRecord, key: AgeKey) {
      const { numUpdatedRows } = await queries
        .updateTable('age_keys')
        // Random: a count in clear would show two copies of the database how often a key was used between them.
        .set({ revision: randomInt(REVISIONS), sealed: sealer.sealJson(key, tables.age_keys.places.sealed({ id })) })
        .where('id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async remove({ id }: AgeKeyRecord) {
      const { numDeletedRows } = await queries.deleteFrom('age_keys').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async countMinted(mints: Mints) {
      const { count } = await queries
        .selectFrom('age_keys')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('minted', 'in', digestsOf(mints))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** Deletes at most `limit` of these keys; returns how many. */
    async removeMinted(mints: Mints, limit: number) {
      const query = queries.selectFrom('age_keys').select('id').where('minted', 'in', digestsOf(mints));
      return removeRows(queries, await query.limit(limit).execute());
    },

    /** Deletes at most `limit` keys that have ended; returns how many. */
    async purge(now: number, limit: number) {
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

type MakingLimit = keyof typeof AGE_KEYS_PER_HOUR;

/** Counts the keys of this hour, for each API key and each client address. */
export class MakingCounts {
  readonly #queries: Queries;
  readonly #sealer: Sealer;

  constructor({ queries }: Pick<Database, 'queries'>, sealer: Sealer) {
    this.#queries = queries;
    this.#sealer = sealer;
  }

  /** Returns the first limit that the maker has reached in this hour. */
  async findReachedLimit(maker: AgeKeyMaker, now: number) {
    for (const { limit, id } of this.#rowsOf(maker, now)) {
      const query = this.#queries.selectFrom('age_key_making').select('made').where('id', '=', id);
      if (((await query.executeTakeFirst())?.made ?? 0) >= AGE_KEYS_PER_HOUR[limit]) return limit;
    }
    return undefined;
  }

  /** Counts a key for its maker. Returns the limit if one was reached already. */
  async count(trx: Transaction, maker: AgeKeyMaker, now: number) {
    for (const { limit, id } of this.#rowsOf(maker, now)) {
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
  }

  /** Deletes the counts of past hours. */
  async purge(now: number) {
    await this.#queries.deleteFrom('age_key_making').where('ends_at', '<=', now).execute();
  }

  #rowsOf({ apiKeyId, address }: AgeKeyMaker, now: number): { limit: MakingLimit; id: string }[] {
    const idOf = (limit: MakingLimit, maker: string) =>
      digestText(this.#sealer, 'making', limit, maker, endOfHour(now));
    return [
      ...(address === undefined ? [] : [{ limit: 'address' as const, id: idOf('address', address) }]),
      { limit: 'api_key', id: idOf('api_key', apiKeyId) },
    ];
  }
}

function digestText(sealer: Sealer, purpose: string, ...parts: (string | number)[]): string {
  return sealer.digest(`age_keys/${purpose}`, parts.join('\n')).toString('base64url');
}
