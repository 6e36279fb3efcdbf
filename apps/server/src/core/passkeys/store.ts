// The SQL of passkeys.
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';

export type PasskeyRow = Schema['passkeys'];

export interface PasskeyStore {
  /** False when there is a credential of this id already. */
  insert(trx: Transaction, row: PasskeyRow): Promise<boolean>;
  /** Of a confirmed person of this owner. */
  find(owner: Owner, credentialId: string): Promise<PasskeyRow | undefined>;
  /** Moves the counter on; false when another assertion did so first. */
  moveCounter(row: PasskeyRow, counter: number, now: number): Promise<boolean>;
  isVouched(trx: Transaction, personId: string, credentialId: string): Promise<boolean>;
  /** False when the person has no such passkey. */
  vouch(trx: Transaction, personId: string, credentialId: string): Promise<boolean>;
  /** Keeps the newest uses of a person's passkeys. */
  keepLatest(trx: Transaction, personId: string, most: number): Promise<void>;
}

export function createPasskeyStore({ queries }: Database): PasskeyStore {
  return {
    async insert(trx, row) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('passkeys')
        .values(row)
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    find: (owner, credentialId) =>
      queries
        .selectFrom('passkeys')
        .innerJoin('people', 'people.id', 'passkeys.person_id')
        .selectAll('passkeys')
        .where('credential_id', '=', credentialId)
        .where(({ and }) => and(columnsOf(owner)))
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst(),

    async moveCounter({ credential_id, counter: read }, counter, now) {
      const { numUpdatedRows } = await queries
        .updateTable('passkeys')
        .set({ counter, last_used_at: now })
        .where('credential_id', '=', credential_id)
        .where('counter', '=', read)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async isVouched(trx, personId, credentialId) {
      const row = await trx
        .selectFrom('passkeys')
        .select('vouched')
        .where('credential_id', '=', credentialId)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return row?.vouched === 1;
    },

    async vouch(trx, personId, credentialId) {
      const { numUpdatedRows } = await trx
        .updateTable('passkeys')
        .set({ vouched: 1 })
        .where('credential_id', '=', credentialId)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async keepLatest(trx, personId, most) {
      const rows = await trx
        .selectFrom('passkeys')
        .select('credential_id')
        .where('person_id', '=', personId)
        .orderBy('last_used_at', 'desc')
        .orderBy('credential_id')
        .execute();
      const surplus = rows.slice(most).map(({ credential_id }) => credential_id);
      if (surplus.length > 0) await trx.deleteFrom('passkeys').where('credential_id', 'in', surplus).execute();
    },
  };
}
