// The SQL of devices that know a person.
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';

export type PersonDeviceRow = Schema['person_devices'];

export interface PersonDeviceStore {
  insert(trx: Transaction, row: PersonDeviceRow): Promise<void>;
  /** Bound, and of a confirmed person of this owner. */
  find(owner: Owner, id: string): Promise<PersonDeviceRow | undefined>;
  deleteProvisional(trx: Transaction, session: string): Promise<void>;
  /** Binds what the session noted for this person under this id. */
  confirm(trx: Transaction, session: string, personId: string, id: string, vouched: 0 | 1): Promise<void>;
  isVouched(trx: Transaction, personId: string, id: string): Promise<boolean>;
  /** False when the person has no such device. */
  vouch(trx: Transaction, personId: string, id: string): Promise<boolean>;
  countUse(id: string, limit: number, now: number): Promise<boolean>;
  resetUses(trx: Transaction, id: string, now: number): Promise<void>;
  delete(owner: Owner, id: string): Promise<boolean>;
  /** Keeps the devices of a person that were used last. */
  keepLatest(trx: Transaction, personId: string, most: number): Promise<void>;
}

export function createPersonDeviceStore({ queries }: Database): PersonDeviceStore {
  return {
    async insert(trx, row) {
      await trx.insertInto('person_devices').values(row).execute();
    },

    find: (owner, id) =>
      queries
        .selectFrom('person_devices')
        .innerJoin('people', 'people.id', 'person_devices.person_id')
        .selectAll('person_devices')
        .where('person_devices.id', '=', id)
        .where(({ and }) => and(columnsOf(owner)))
        .where('person_devices.provisional_session', 'is', null)
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst(),

    async deleteProvisional(trx, session) {
      await trx.deleteFrom('person_devices').where('provisional_session', '=', session).execute();
    },

    async confirm(trx, session, personId, id, vouched) {
      await trx
        .updateTable('person_devices')
        .set({ provisional_session: null, vouched })
        .where('id', '=', id)
        .where('provisional_session', '=', session)
        .where('person_id', '=', personId)
        .execute();
    },

    async isVouched(trx, personId, id) {
      const row = await trx
        .selectFrom('person_devices')
        .select('vouched')
        .where('id', '=', id)
        .where('person_id', '=', personId)
        .where('provisional_session', 'is', null)
        .executeTakeFirst();
      return row?.vouched === 1;
    },

    async vouch(trx, personId, id) {
      const { numUpdatedRows } = await trx
        .updateTable('person_devices')
        .set({ vouched: 1 })
        .where('id', '=', id)
        .where('person_id', '=', personId)
        .where('provisional_session', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async countUse(id, limit, now) {
      const { numUpdatedRows } = await queries
        .updateTable('person_devices')
        .set(({ eb }) => ({ local_uses: eb('local_uses', '+', 1), last_used_at: now }))
        .where('id', '=', id)
        .where('local_uses', '<', limit)
        .where('provisional_session', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async resetUses(trx, id, now) {
      await trx.updateTable('person_devices').set({ local_uses: 0, last_used_at: now }).where('id', '=', id).execute();
    },

    async delete(owner, id) {
      const { numDeletedRows } = await queries
        .deleteFrom('person_devices')
        .where('id', '=', id)
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async keepLatest(trx, personId, most) {
      const rows = await trx
        .selectFrom('person_devices')
        .select('id')
        .where('person_id', '=', personId)
        .where('provisional_session', 'is', null)
        .orderBy('last_used_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const surplus = rows.slice(most).map(({ id }) => id);
      if (surplus.length > 0) await trx.deleteFrom('person_devices').where('id', 'in', surplus).execute();
    },
  };
}
