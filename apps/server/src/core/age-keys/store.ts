// The SQL of age keys. What is known of a key is sealed; its row is found by a digest of the credential and its world.
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { World } from '../../platform/world.ts';
import { type DailyUses, endOf, type ProvenAge } from './rules.ts';

export interface AgeKey extends ProvenAge {
  /** COSE key, base64url. */
  publicKey: string;
  /** As the authenticator counts. */
  counter: number;
  uses?: DailyUses;
}

export interface AgeKeyRecord {
  id: string;
  revision: number;
  key: AgeKey;
}

export interface AgeKeyStore {
  /** False when there is one for this credential already. */
  insert(trx: Transaction, world: World, credentialId: string, key: AgeKey): Promise<boolean>;
  /** Undefined for one that has ended, whether its row is still there or not. */
  find(world: World, credentialId: string, now: number): Promise<AgeKeyRecord | undefined>;
  /** False when it was changed or deleted since it was read. */
  change(record: AgeKeyRecord, key: AgeKey): Promise<boolean>;
  remove(record: AgeKeyRecord): Promise<boolean>;
  /** Deletes at most `limit` that have ended; returns how many. */
  purge(now: number, limit: number): Promise<number>;
}

export function createAgeKeyStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer): AgeKeyStore {
  const idOf = (world: World, credentialId: string) =>
    sealer.digest('age_keys/id', `${world}\n${credentialId}`).toString('base64url');

  return {
    async insert(trx, world, credentialId, key) {
      const id = idOf(world, credentialId);
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('age_keys')
        .values({ id, revision: 1, ends_at: endOf(key.month), sealed: sealer.sealJson(key, ageKeyPlace(id)) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    async find(world, credentialId, now) {
      const id = idOf(world, credentialId);
      const row = await queries.selectFrom('age_keys').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const key = sealer.openJson(row.sealed, ageKeyPlace(id)) as AgeKey;
      // By what is sealed: the column is there to be searched, and somebody may have edited it.
      return endOf(key.month) > now ? { id, revision: row.revision, key } : undefined;
    },

    async change({ id, revision }, key) {
      const { numUpdatedRows } = await queries
        .updateTable('age_keys')
        .set({ revision: revision + 1, sealed: sealer.sealJson(key, ageKeyPlace(id)) })
        .where('id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async remove({ id }) {
      const { numDeletedRows } = await queries.deleteFrom('age_keys').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async purge(now, limit) {
      const over = await queries
        .selectFrom('age_keys')
        .select('id')
        .where('ends_at', '<=', now)
        .orderBy('ends_at')
        .limit(limit)
        .execute();
      if (over.length === 0) return 0;
      const ids = over.map(({ id }) => id);
      await queries.deleteFrom('age_keys').where('id', 'in', ids).execute();
      return over.length;
    },
  };
}

export function ageKeyPlace(id: string): string {
  return `age_keys/sealed/${id}`;
}
