// The SQL of passkeys. Each row is sealed as a whole: one that was edited is as good as not there.
import { columnsOf, type Owner } from '../../../platform/api-keys/owner.ts';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import { holdRows } from '../../../platform/database/hold-rows.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { createRowSeal, type SealLog } from '../../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../../platform/sealing/sealer.ts';
import { createVouchedRows, type VouchedRows } from '../vouched-rows.ts';

export type PasskeyRow = Schema['passkeys'];

export interface PasskeyStore extends VouchedRows {
  /** False when there is a credential of this id already. */
  insert(trx: Transaction, row: Omit<PasskeyRow, 'mac'>): Promise<boolean>;
  /** Of a confirmed person of this owner. */
  find(owner: Owner, credentialId: string): Promise<PasskeyRow | undefined>;
  /** Moves the counter on; false when another assertion did so first. */
  moveCounter(row: PasskeyRow, counter: number, now: number): Promise<boolean>;
}

export function createPasskeyStore({ queries, engine }: Database, sealer: RowSealer, log: SealLog): PasskeyStore {
  const seal = createRowSeal<PasskeyRow>(sealer, 'passkeys', { log, nameOf: (row) => row.credential_id });

  /** Keeps others from changing it until the transaction ends. */
  async function lockOf(trx: Transaction, personId: PersonId, credentialId: string): Promise<PasskeyRow | undefined> {
    const query = trx.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId);
    const row = seal.ifWhole(await holdRows(engine, query).executeTakeFirst());
    return row?.person_id === personId ? row : undefined;
  }

  /** False when the row is no longer as it was read. */
  function change(db: Queries, row: PasskeyRow, changes: Partial<PasskeyRow>): Promise<boolean> {
    const query = db.selectFrom('passkeys').selectAll().where('credential_id', '=', row.credential_id);
    return seal.changeAsRead(
      row,
      (from) => changeFrom(db, from, changes),
      () => query.executeTakeFirst(),
    );
  }

  async function changeFrom(db: Queries, row: PasskeyRow, changes: Partial<PasskeyRow>): Promise<boolean> {
    const { mac } = seal.sign({ ...row, ...changes });
    const { numUpdatedRows } = await db
      .updateTable('passkeys')
      .set({ ...changes, mac })
      .where('credential_id', '=', row.credential_id)
      .where('mac', '=', row.mac)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  return {
    async insert(trx, row) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('passkeys')
        .values(seal.sign(row))
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    async find(owner, credentialId) {
      const row = await queries
        .selectFrom('passkeys')
        .innerJoin('people', 'people.id', 'passkeys.person_id')
        .selectAll('passkeys')
        .where('credential_id', '=', credentialId)
        .where(({ and }) => and(columnsOf(owner)))
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst();
      return seal.ifWhole(row);
    },

    moveCounter: (row, counter, now) => change(queries, row, { counter, last_used_at: now }),

    ...createVouchedRows<PasskeyRow>({
      lockOf,
      change,
      listOf: (trx, personId) =>
        trx
          .selectFrom('passkeys')
          .select(['credential_id as id', 'vouched', 'last_used_at'])
          .where('person_id', '=', personId)
          .execute(),
      remove: (trx, ids) => trx.deleteFrom('passkeys').where('credential_id', 'in', ids).execute(),
    }),
  };
}
