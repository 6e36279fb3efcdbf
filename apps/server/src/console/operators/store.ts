// The SQL of operators, their invites, passkeys and sessions. Edited rows are treated as missing.
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SealLog } from '../../platform/sealing/edited-rows.ts';
import { createRowSeal } from '../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../platform/sealing/sealer.ts';
import { isSameName } from './names.ts';

type OperatorRow = Schema['operators'];
export type InviteRow = Schema['operator_invites'];
type OperatorPasskeyRow = Schema['operator_passkeys'];
export type OperatorSessionRow = Schema['operator_sessions'];
type PasskeyMove = Pick<OperatorPasskeyRow, 'counter' | 'answered_at'>;

export type OperatorStore = ReturnType<typeof createOperatorStore>;

export function createOperatorStore(
  { queries, engine }: Pick<Database, 'queries' | 'engine'>,
  sealer: RowSealer,
  log: SealLog,
) {
  return {
    ...createOperatorRows(queries, engine, sealer, log),
    ...createInviteRows(queries, sealer, log),
    ...createPasskeyRows(queries, sealer, log),
    ...createSessionRows(queries),
    async deleteOver(now: number) {
      await queries.deleteFrom('operator_sessions').where('ends_at', '<=', now).execute();
      await queries.deleteFrom('operator_invites').where('expires_at', '<=', now).execute();
    },
  };
}

function createOperatorRows(queries: Queries, engine: Database['engine'], sealer: RowSealer, log: SealLog) {
  const operators = createRowSeal<OperatorRow>(sealer, 'operators', { log, nameOf: ({ id }) => id, remembers: true });
  const identities = createRowSeal<Schema['operator_identities']>(sealer, 'operator_identities', {
    log,
    nameOf: ({ id }) => id,
  });
  const all = queries.selectFrom('operators').selectAll();

  async function insert(trx: Transaction, row: Omit<OperatorRow, 'mac'>): Promise<void> {
    await trx.insertInto('operators').values(operators.sign(row)).execute();
  }

  async function removeById(trx: Transaction, id: OperatorId): Promise<boolean> {
    for (const table of ['identities', 'invites', 'passkeys', 'sessions'] as const) {
      await trx.deleteFrom(`operator_${table}`).where('operator_id', '=', id).execute();
    }
    return hasDeleted(trx.deleteFrom('operators').where('id', '=', id));
  }

  /**
   * Locks all operators, so that names are assigned one after the other. `whole`: undefined for an
   * edited row.
   */
  async function holdAll(trx: Transaction): Promise<{ name: string; whole: OperatorRow | undefined }[]> {
    await holdRows(engine, trx.selectFrom('operators').select('id').orderBy('id')).execute();
    // Read again, because a row inserted during the wait is not among the locked ones.
    const rows = await trx.selectFrom('operators').selectAll().execute();
    return rows.map((row) => ({ name: row.name, whole: operators.ifWhole(row) }));
  }

  return {
    insert,
    removeById,
    holdAll,
    find: async (id: OperatorId) => operators.ifWhole(await all.where('id', '=', id).executeTakeFirst()),
    findByName: async (name: string) => operators.ifWhole(await all.where('name', '=', name).executeTakeFirst()),
    list: async () => (await all.orderBy('name').execute()).filter((row) => operators.ifWhole(row)),
    /** Removes an operator with everything that is theirs, even if the row was edited. */
    async remove(trx: Transaction, name: string) {
      const row = await trx.selectFrom('operators').select('id').where('name', '=', name).executeTakeFirst();
      return row !== undefined && removeById(trx, row.id);
    },
    async holdAdmins(trx: Transaction) {
      const admins = trx.selectFrom('operators').selectAll().where('role', '=', 'admin').orderBy('id');
      return (await holdRows(engine, admins).execute()).filter((row) => operators.ifWhole(row));
    },
    async hold(trx: Transaction, id: OperatorId) {
      await holdRows(engine, trx.selectFrom('operators').select('id').where('id', '=', id)).execute();
    },
    async changeRole(trx: Transaction, row: OperatorRow, role: OperatorRow['role']) {
      const { mac } = operators.sign({ ...row, role });
      await trx.updateTable('operators').set({ role, mac }).where('id', '=', row.id).execute();
    },

    async insertProvided(trx: Transaction, row: Omit<OperatorRow, 'mac'>, identityId: string) {
      const taken = (await holdAll(trx)).some(({ name }) => isSameName(name, row.name));
      const known = trx.selectFrom('operator_identities').select('id').where('id', '=', identityId);
      if (taken || (await known.executeTakeFirst())) return false;
      await insert(trx, row);
      const identity = { id: identityId, operator_id: row.id, created_at: row.created_at };
      await trx.insertInto('operator_identities').values(identities.sign(identity)).execute();
      return true;
    },
    async findIdentity(id: string) {
      const row = await queries.selectFrom('operator_identities').selectAll().where('id', '=', id).executeTakeFirst();
      return identities.ifWhole(row);
    },
    /** Returns whether an identity provider signs the operator in. An edited row still counts. */
    async isProvided(operatorId: OperatorId) {
      const query = queries.selectFrom('operator_identities').select('id').where('operator_id', '=', operatorId);
      return (await query.executeTakeFirst()) !== undefined;
    },
    async listProvided() {
      const rows = await queries.selectFrom('operator_identities').select('operator_id').execute();
      return rows.map(({ operator_id }) => operator_id);
    },
  };
}

function createInviteRows(queries: Queries, sealer: RowSealer, log: SealLog) {
  const invites = createRowSeal<InviteRow>(sealer, 'operator_invites', { log, nameOf: ({ id }) => id });
  return {
    async insertInvite(trx: Transaction, row: Omit<InviteRow, 'mac'>) {
      await trx.insertInto('operator_invites').values(invites.sign(row)).execute();
    },
    async findInvite(id: string) {
      const row = await queries.selectFrom('operator_invites').selectAll().where('id', '=', id).executeTakeFirst();
      return invites.ifWhole(row);
    },
    useInvite: (trx: Transaction, row: InviteRow) =>
      invites.changeAsRead(
        row,
        ({ id, mac }) => hasDeleted(trx.deleteFrom('operator_invites').where('id', '=', id).where('mac', '=', mac)),
        () => trx.selectFrom('operator_invites').selectAll().where('id', '=', row.id).executeTakeFirst(),
      ),
    async deleteInvites(trx: Transaction, operatorId: OperatorId) {
      await trx.deleteFrom('operator_invites').where('operator_id', '=', operatorId).execute();
    },
  };
}

function createPasskeyRows(queries: Queries, sealer: RowSealer, log: SealLog) {
  const passkeys = createRowSeal<OperatorPasskeyRow>(sealer, 'operator_passkeys', {
    log,
    nameOf: (row) => row.credential_id,
  });
  const byCredential = (id: string) =>
    queries.selectFrom('operator_passkeys').selectAll().where('credential_id', '=', id).executeTakeFirst();

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

  return {
    async insertPasskey(trx: Transaction, row: Omit<OperatorPasskeyRow, 'mac'>) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('operator_passkeys')
        .values(passkeys.sign(row))
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },
    findPasskey: async (credentialId: string) => passkeys.ifWhole(await byCredential(credentialId)),
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
    /** Lists the passkeys that can sign in: none of operators with an identity provider. */
    async listAble(trx: Transaction) {
      const rows = await trx.selectFrom('operator_passkeys').selectAll().execute();
      const provided = await trx.selectFrom('operator_identities').select('operator_id').execute();
      const elsewhere = new Set(provided.map(({ operator_id }) => operator_id));
      return rows.filter((row) => passkeys.ifWhole(row) && !elsewhere.has(row.operator_id));
    },
    deletePasskey: (trx: Transaction, operatorId: OperatorId, credentialId: string) =>
      hasDeleted(
        trx
          .deleteFrom('operator_passkeys')
          .where('operator_id', '=', operatorId)
          .where('credential_id', '=', credentialId),
      ),
    async countPasskeys() {
      const rows = await queries
        .selectFrom('operator_passkeys')
        .select(({ fn }) => ['operator_id', fn.countAll<number>().as('count')])
        .groupBy('operator_id')
        .execute();
      return new Map(rows.map(({ operator_id, count }) => [operator_id, Number(count)]));
    },
    movePasskey: (row: OperatorPasskeyRow, changes: PasskeyMove) =>
      passkeys.changeAsRead(
        row,
        (from) => moveFrom(from, changes),
        () => byCredential(row.credential_id),
      ),
  };
}

function createSessionRows(queries: Queries) {
  const all = queries.selectFrom('operator_sessions').selectAll();
  return {
    async insertSession(row: OperatorSessionRow) {
      await queries.insertInto('operator_sessions').values(row).execute();
    },
    findSession: (lookup: Uint8Array) => all.where('token_lookup', '=', lookup).executeTakeFirst(),
    listSessions: (operatorId: OperatorId) =>
      all.where('operator_id', '=', operatorId).orderBy('created_at', 'desc').execute(),
    async updateSession({ id, ends_at, sealed }: OperatorSessionRow) {
      await queries.updateTable('operator_sessions').set({ ends_at, sealed }).where('id', '=', id).execute();
    },
    deleteSession: (operatorId: OperatorId, id: string) =>
      hasDeleted(queries.deleteFrom('operator_sessions').where('operator_id', '=', operatorId).where('id', '=', id)),
    async deleteSessions(operatorId: OperatorId) {
      const all = queries.deleteFrom('operator_sessions').where('operator_id', '=', operatorId);
      return Number((await all.executeTakeFirst()).numDeletedRows);
    },
  };
}

async function hasDeleted(query: { executeTakeFirst(): Promise<{ numDeletedRows: bigint }> }): Promise<boolean> {
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
