// The SQL of devices that know a person. Each row is sealed as a whole: one that was edited is as good as not there.
import { columnsOf, type Owner } from '../../../platform/api-keys/owner.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { holdRows } from '../../../platform/database/hold-rows.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { createRowSeal, type SealLog } from '../../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../../platform/sealing/sealer.ts';
import type { Vouched } from '../../tables.ts';
import { createVouchedRows, type VouchedRows } from '../vouched-rows.ts';

export type PersonDeviceRow = Schema['person_devices'];

export interface PersonDeviceStore extends VouchedRows {
  insert(trx: Transaction, row: Omit<PersonDeviceRow, 'mac'>): Promise<void>;
  /** Bound, and of a confirmed person of this owner. */
  find(owner: Owner, id: string): Promise<PersonDeviceRow | undefined>;
  deleteProvisional(trx: Transaction, ...sessions: SessionId[]): Promise<void>;
  /** Binds what the session noted for this person under this id. */
  confirm(trx: Transaction, session: SessionId, personId: PersonId, id: string, vouched: Vouched): Promise<void>;
  countUse(id: string, limit: number, now: number): Promise<boolean>;
  resetUses(trx: Transaction, id: string, now: number): Promise<void>;
  delete(owner: Owner, id: string): Promise<boolean>;
}

export function createPersonDeviceStore(database: Database, sealer: RowSealer, log: SealLog): PersonDeviceStore {
  const { queries, engine, transact } = database;
  const seal = createRowSeal<PersonDeviceRow>(sealer, 'person_devices', { log, nameOf: ({ id }) => id });

  /** Keeps others from changing it until the transaction ends. */
  async function lock(trx: Transaction, id: string): Promise<PersonDeviceRow | undefined> {
    const query = trx.selectFrom('person_devices').selectAll().where('id', '=', id);
    return seal.ifWhole(await holdRows(engine, query).executeTakeFirst());
  }

  async function lockBound(trx: Transaction, personId: PersonId, id: string): Promise<PersonDeviceRow | undefined> {
    const row = await lock(trx, id);
    return row?.person_id === personId && row.provisional_session === null ? row : undefined;
  }

  async function change(trx: Transaction, row: PersonDeviceRow, changes: Partial<PersonDeviceRow>): Promise<boolean> {
    const { mac } = seal.sign({ ...row, ...changes });
    const { numUpdatedRows } = await trx
      .updateTable('person_devices')
      .set({ ...changes, mac })
      .where('id', '=', row.id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  return {
    async insert(trx, row) {
      await trx.insertInto('person_devices').values(seal.sign(row)).execute();
    },

    async find(owner, id) {
      const row = await queries
        .selectFrom('person_devices')
        .innerJoin('people', 'people.id', 'person_devices.person_id')
        .selectAll('person_devices')
        .where('person_devices.id', '=', id)
        .where(({ and }) => and(columnsOf(owner)))
        .where('person_devices.provisional_session', 'is', null)
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst();
      return seal.ifWhole(row);
    },

    async deleteProvisional(trx, ...sessions) {
      await trx.deleteFrom('person_devices').where('provisional_session', 'in', sessions).execute();
    },

    async confirm(trx, session, personId, id, vouched) {
      const row = await lock(trx, id);
      if (row?.provisional_session !== session || row.person_id !== personId) return;
      await change(trx, row, { provisional_session: null, vouched });
    },

    ...createVouchedRows<PersonDeviceRow>({
      lockOf: lockBound,
      change,
      listOf: (trx, personId) =>
        trx
          .selectFrom('person_devices')
          .select(['id', 'vouched', 'last_used_at'])
          .where('person_id', '=', personId)
          .where('provisional_session', 'is', null)
          .execute(),
      remove: (trx, ids) => trx.deleteFrom('person_devices').where('id', 'in', ids).execute(),
    }),

    countUse: (id, limit, now) =>
      transact(async (trx) => {
        const row = await lock(trx, id);
        if (!row || row.provisional_session !== null || row.local_uses >= limit) return false;
        await change(trx, row, { local_uses: row.local_uses + 1, last_used_at: now });
        return true;
      }),

    async resetUses(trx, id, now) {
      const row = await lock(trx, id);
      if (row) await change(trx, row, { local_uses: 0, last_used_at: now });
    },

    async delete(owner, id) {
      const { numDeletedRows } = await queries
        .deleteFrom('person_devices')
        .where('id', '=', id)
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
