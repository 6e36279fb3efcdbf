// The SQL of operators, their invites, passkeys and sessions. Rows that speak for somebody are sealed as a whole: one that was
// edited is as good as not there.

import type { OperatorId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type SealLog } from '../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../platform/sealing/sealer.ts';
import { isSameName } from './names.ts';

export type OperatorRow = Schema['operators'];
type IdentityRow = Schema['operator_identities'];
export type InviteRow = Schema['operator_invites'];
type OperatorPasskeyRow = Schema['operator_passkeys'];
export type OperatorSessionRow = Schema['operator_sessions'];

interface HeldOperator {
  name: string;
  /** Undefined where the row was edited. */
  whole: OperatorRow | undefined;
}

export interface AblePasskey {
  operatorId: OperatorId;
  passkeyId: string;
}

type PasskeyMove = Pick<OperatorPasskeyRow, 'counter' | 'answered_at'>;

export function createOperatorStore(
  { queries, engine }: Pick<Database, 'queries' | 'engine'>,
  sealer: RowSealer,
  log: SealLog,
) {
  const operators = createRowSeal<OperatorRow>(sealer, 'operators', { log, nameOf: ({ id }) => id, remembers: true });
  const identities = createRowSeal<IdentityRow>(sealer, 'operator_identities', { log, nameOf: ({ id }) => id });
  const invites = createRowSeal<InviteRow>(sealer, 'operator_invites', { log, nameOf: ({ id }) => id });
  const passkeys = createRowSeal<OperatorPasskeyRow>(sealer, 'operator_passkeys', {
    log,
    nameOf: (row) => row.credential_id,
  });

  async function removeById(trx: Transaction, id: OperatorId): Promise<boolean> {
    for (const table of [
      'operator_identities',
      'operator_invites',
      'operator_passkeys',
      'operator_sessions',
    ] as const) {
      await trx.deleteFrom(table).where('operator_id', '=', id).execute();
    }
    const one = trx.deleteFrom('operators').where('id', '=', id);
    return (await one.executeTakeFirst()).numDeletedRows > 0n;
  }

  async function holdAll(trx: Transaction): Promise<HeldOperator[]> {
    await holdRows(engine, trx.selectFrom('operators').select('id').orderBy('id')).execute();
    // Read anew: a row that came while others were waited for is not among those that were held.
    const rows = await trx.selectFrom('operators').selectAll().execute();
    return rows.map((row) => ({ name: row.name, whole: operators.ifWhole(row) }));
  }

  async function moveFrom(row: OperatorPasskeyRow, changes: PasskeyMove): Promise<boolean> {
    const { mac } = passkeys.sign({ ...row, ...changes });
    const { numUpdatedRows } = await queries
      .updateTable('operator_passkeys')
      .set({ ...changes, mac })
      .where('credential_id', '=', row.credential_id)
      .where('mac', '=', row.mac)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async function deleteInvite(trx: Transaction, { id, mac }: InviteRow): Promise<boolean> {
    const used = trx.deleteFrom('operator_invites').where('id', '=', id).where('mac', '=', mac);
    return (await used.executeTakeFirst()).numDeletedRows > 0n;
  }

  return {
    async insert(trx: Transaction, row: Omit<OperatorRow, 'mac'>) {
      await trx.insertInto('operators').values(operators.sign(row)).execute();
    },
    async find(id: OperatorId) {
      const row = await queries.selectFrom('operators').selectAll().where('id', '=', id).executeTakeFirst();
      return operators.ifWhole(row);
    },
    async findByName(name: string) {
      const row = await queries.selectFrom('operators').selectAll().where('name', '=', name).executeTakeFirst();
      return operators.ifWhole(row);
    },
    /** In the order of their names, those that were edited left out. */
    async list() {
      const rows = await queries.selectFrom('operators').selectAll().orderBy('name').execute();
      return rows.filter((row) => operators.ifWhole(row));
    },
    /** With all that is theirs; by the name that the row has, whole or not. */
    async remove(trx: Transaction, name: string) {
      const row = await trx.selectFrom('operators').select('id').where('name', '=', name).executeTakeFirst();
      return row !== undefined && removeById(trx, row.id);
    },
    removeById,
    /** Kept from others until the transaction ends. */
    async holdAdmins(trx: Transaction) {
      const admins = trx.selectFrom('operators').selectAll().where('role', '=', 'admin').orderBy('id');
      return (await holdRows(engine, admins).execute()).filter((row) => operators.ifWhole(row));
    },
    /** All of them, kept from others until the transaction ends: names are given out one after the other. */
    holdAll,
    /** Locks one operator's row until the transaction ends. */
    async hold(trx: Transaction, id: OperatorId) {
      await holdRows(engine, trx.selectFrom('operators').select('id').where('id', '=', id)).execute();
    },
    /** Lists the passkeys that can sign in: none of operators with an identity provider. */
    async listAble(trx: Transaction) {
      const rows = await trx.selectFrom('operator_passkeys').selectAll().execute();
      const provided = await trx.selectFrom('operator_identities').select('operator_id').execute();
      const elsewhere = new Set(provided.map(({ operator_id }) => operator_id));
      return rows
        .filter((row) => passkeys.ifWhole(row) && !elsewhere.has(row.operator_id))
        .map(({ operator_id, credential_id }) => ({ operatorId: operator_id, passkeyId: credential_id }));
    },

    /** Returns false if an operator already has such a name or this identity. */
    async insertProvided(trx: Transaction, row: Omit<OperatorRow, 'mac'>, identityId: string) {
      const taken = (await holdAll(trx)).some(({ name }) => isSameName(name, row.name));
      const known = trx.selectFrom('operator_identities').select('id').where('id', '=', identityId);
      if (taken || (await known.executeTakeFirst())) return false;
      await trx.insertInto('operators').values(operators.sign(row)).execute();
      const identity = { id: identityId, operator_id: row.id, created_at: row.created_at };
      await trx.insertInto('operator_identities').values(identities.sign(identity)).execute();
      return true;
    },
    async findIdentity(id: string) {
      const row = await queries.selectFrom('operator_identities').selectAll().where('id', '=', id).executeTakeFirst();
      return identities.ifWhole(row);
    },
    /** Returns whether the operator has an identity provider. An edited row still counts. */
    async isProvided(operatorId: OperatorId) {
      const query = queries.selectFrom('operator_identities').select('id').where('operator_id', '=', operatorId);
      return (await query.executeTakeFirst()) !== undefined;
    },
    async listProvided() {
      const rows = await queries.selectFrom('operator_identities').select('operator_id').execute();
      return rows.map(({ operator_id }) => operator_id);
    },
    async changeRole(trx: Transaction, row: OperatorRow, role: OperatorRow['role']) {
      const { mac } = operators.sign({ ...row, role });
      await trx.updateTable('operators').set({ role, mac }).where('id', '=', row.id).execute();
    },

    async insertInvite(trx: Transaction, row: Omit<InviteRow, 'mac'>) {
      await trx.insertInto('operator_invites').values(invites.sign(row)).execute();
    },
    async findInvite(id: string) {
      const row = await queries.selectFrom('operator_invites').selectAll().where('id', '=', id).executeTakeFirst();
      return invites.ifWhole(row);
    },
    /** False when another used it first. */
    useInvite(trx: Transaction, row: InviteRow) {
      const found = trx.selectFrom('operator_invites').selectAll().where('id', '=', row.id);
      return invites.changeAsRead(
        row,
        (from) => deleteInvite(trx, from),
        () => found.executeTakeFirst(),
      );
    },
    /** Deletes all invites of an operator, because a new link voids earlier ones. */
    async deleteInvites(trx: Transaction, operatorId: OperatorId) {
      await trx.deleteFrom('operator_invites').where('operator_id', '=', operatorId).execute();
    },

    /** False when there is a credential of this id already. */
    async insertPasskey(trx: Transaction, row: Omit<OperatorPasskeyRow, 'mac'>) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('operator_passkeys')
        .values(passkeys.sign(row))
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },
    async findPasskey(credentialId: string) {
      const query = queries.selectFrom('operator_passkeys').selectAll().where('credential_id', '=', credentialId);
      return passkeys.ifWhole(await query.executeTakeFirst());
    },
    /** The oldest first, those that were edited left out. */
    async listPasskeys(operatorId: OperatorId, trx?: Transaction) {
      const rows = await (trx ?? queries)
        .selectFrom('operator_passkeys')
        .selectAll()
        .where('operator_id', '=', operatorId)
        .orderBy('created_at')
        .orderBy('credential_id')
        .execute();
      return rows.filter((row) => passkeys.ifWhole(row));
    },
    /** False when there is none. */
    async deletePasskey(trx: Transaction, operatorId: OperatorId, credentialId: string) {
      const one = trx
        .deleteFrom('operator_passkeys')
        .where('operator_id', '=', operatorId)
        .where('credential_id', '=', credentialId);
      return (await one.executeTakeFirst()).numDeletedRows > 0n;
    },
    async countPasskeys() {
      const rows = await queries
        .selectFrom('operator_passkeys')
        .select(({ fn }) => ['operator_id', fn.countAll<number>().as('count')])
        .groupBy('operator_id')
        .execute();
      return rows.map(({ operator_id, count }) => ({ operator_id, count: Number(count) }));
    },
    /** False when another answer moved it first. */
    movePasskey(row: OperatorPasskeyRow, changes: PasskeyMove) {
      const query = queries.selectFrom('operator_passkeys').selectAll().where('credential_id', '=', row.credential_id);
      return passkeys.changeAsRead(
        row,
        (from) => moveFrom(from, changes),
        () => query.executeTakeFirst(),
      );
    },

    async insertSession(row: OperatorSessionRow) {
      await queries.insertInto('operator_sessions').values(row).execute();
    },
    findSession: (lookup: Uint8Array) =>
      queries.selectFrom('operator_sessions').selectAll().where('token_lookup', '=', lookup).executeTakeFirst(),
    listSessions: (operatorId: OperatorId) =>
      queries
        .selectFrom('operator_sessions')
        .selectAll()
        .where('operator_id', '=', operatorId)
        .orderBy('created_at', 'desc')
        .execute(),
    async updateSession({ id, ends_at, sealed }: OperatorSessionRow) {
      await queries.updateTable('operator_sessions').set({ ends_at, sealed }).where('id', '=', id).execute();
    },
    async deleteSession(operatorId: OperatorId, id: string) {
      const one = queries.deleteFrom('operator_sessions').where('operator_id', '=', operatorId).where('id', '=', id);
      return (await one.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** How many there were. */
    async deleteSessions(operatorId: OperatorId) {
      const all = queries.deleteFrom('operator_sessions').where('operator_id', '=', operatorId);
      return Number((await all.executeTakeFirst()).numDeletedRows);
    },
    /** Sessions and invites whose time is over. */
    async deleteOver(now: number) {
      await queries.deleteFrom('operator_sessions').where('ends_at', '<=', now).execute();
      await queries.deleteFrom('operator_invites').where('expires_at', '<=', now).execute();
    },
  };
}

export type OperatorStore = ReturnType<typeof createOperatorStore>;
