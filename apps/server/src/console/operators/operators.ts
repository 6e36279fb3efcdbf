// Operators of the console: invites, lists and removes them.
import { randomBytes } from 'node:crypto';
import { invalid } from '../../platform/base/errors.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';
import type { Core } from '../../platform/core.ts';
import type { Database, InTransaction, Transaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { RecordAct } from '../../records/audit/log.ts';
import { INVITE_MINUTES } from '../limits.ts';
import { findNameProblem, isSameName } from './names.ts';
import { createOperatorStore, type OperatorStore } from './store.ts';

export const REINVITE_ACT = 'operator.reinvite';

export type Operators = ReturnType<typeof createOperators>;
export type ListedOperator = Awaited<ReturnType<Operators['list']>>[number];

export function createOperators(core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'>) {
  const { database, sealer, clock, ids, log } = core;
  const store = createOperatorStore(database, sealer, log);
  return {
    ...createRemovals(database, store),
    /** Voids earlier links of the operator. Returns undefined if they have another role. */
    async invite(name: string, role: Role | undefined, writeAudit?: InTransaction) {
      const token = randomBytes(32).toString('base64url');
      const now = clock.now();
      const expiresAt = now + INVITE_MINUTES * 60_000;
      const operator = await database.transact(async (trx) => {
        // Locked, so that the later of two concurrent links voids the earlier.
        const all = await store.holdAll(trx);
        const known = all.find((operator) => operator.name === name);
        if (!known) refuseName(name, all);
        if (known && !known.whole) throw invalid('name', 'is of a row that was edited; see limen operators remove');
        if (known?.whole && role !== undefined && known.whole.role !== role) return undefined;
        const newRow = { id: ids.random<OperatorId>(), name, role: role ?? ('reviewer' as const), created_at: now };
        const invited = known?.whole ?? newRow;
        if (known) await store.deleteInvites(trx, invited.id);
        else await store.insert(trx, newRow);
        const id = inviteId(sealer, token);
        await store.insertInvite(trx, { id, operator_id: invited.id, expires_at: expiresAt });
        await writeAudit?.(trx);
        return { id: invited.id, name, role: invited.role };
      });
      return operator && { operator, token, expiresAt };
    },

    /** Invites of existing operators are audited as their own act: the new passkey may be someone else's. */
    async inviteActOf(name: string) {
      const all = await store.list();
      if (all.some((operator) => operator.name === name)) return REINVITE_ACT;
      refuseName(name, all);
      return 'operator.invite' as const;
    },

    async list() {
      const passkeys = await store.countPasskeys();
      const provided = new Set(await store.listProvided());
      const rows = await store.list();
      return Promise.all(
        rows.map(async ({ id, name, role, created_at }) => {
          const sessions = (await store.listSessions(id)).filter(({ ends_at }) => ends_at > clock.now());
          return {
            id,
            name,
            role,
            createdAt: created_at,
            passkeys: passkeys.get(id) ?? 0,
            isProvided: provided.has(id),
            sessions: sessions.length,
          };
        }),
      );
    },

    isProvided: store.isProvided,
    hasPasskey: async (id: OperatorId) => (await store.countPasskeys()).has(id),

    async passkeysOf(id: OperatorId) {
      const rows = await store.listPasskeys(id);
      return rows.map(({ credential_id, created_at, answered_at }) => ({
        id: credential_id,
        createdAt: created_at,
        usedAt: answered_at > created_at ? answered_at : null,
      }));
    },

    /** Unlike `list`, also finds edited rows. */
    isKnown: (name: string) =>
      database.transact(async (trx) => (await store.holdAll(trx)).some((operator) => operator.name === name)),

    /** Ends all sessions of an operator and returns their number, or undefined for unknown names. */
    async signOut(name: string) {
      const operator = await store.findByName(name);
      return operator && store.deleteSessions(operator.id);
    },
  };
}

function createRemovals(database: Database, store: OperatorStore) {
  /** Returns whether the admins could not sign in without this operator or passkey. Locks the admins. */
  async function isLastWayIn(trx: Transaction, id: OperatorId, passkeyId?: string): Promise<boolean> {
    const admins = await store.holdAdmins(trx);
    const able = await store.listAble(trx);
    const left = able.filter(
      (row) => row.operator_id !== id || (passkeyId !== undefined && row.credential_id !== passkeyId),
    );
    const canSignIn = (admin: { id: OperatorId }) => left.some((row) => row.operator_id === admin.id);
    return left.length < able.length && admins.some((admin) => admin.id === id) && !admins.some(canSignIn);
  }

  return {
    isLastAdmin: (id: OperatorId, passkeyId?: string) => database.transact((trx) => isLastWayIn(trx, id, passkeyId)),

    /** `keepsOne`: refuses to remove the last passkey of an operator. */
    removePasskey: (
      id: OperatorId,
      passkeyId: string,
      { keepsOne = false, writeAudit }: { keepsOne?: boolean; writeAudit?: InTransaction } = {},
    ) =>
      database.transact(async (trx) => {
        const isLast = await isLastWayIn(trx, id, passkeyId);
        await store.hold(trx, id);
        const remaining = (await store.listPasskeys(id, trx)).filter((row) => row.credential_id !== passkeyId);
        if (keepsOne && remaining.length === 0) return 'only one';
        if (isLast) return 'last admin';
        if (!(await store.deletePasskey(trx, id, passkeyId))) return 'nobody';
        await writeAudit?.(trx);
        return 'removed';
      }),

    remove: (name: string) => database.transact((trx) => store.remove(trx, name)),

    removeUnlessLast: (id: OperatorId, writeAudit?: InTransaction) =>
      database.transact(async (trx) => {
        if (await isLastWayIn(trx, id)) return 'last admin';
        if (!(await store.removeById(trx, id))) return 'nobody';
        await writeAudit?.(trx);
        return 'removed';
      }),
  };
}

function refuseName(name: string, operators: readonly { name: string }[]): void {
  const problem = findNameProblem(name);
  if (problem !== undefined) throw invalid('name', problem);
  const taken = operators.find((operator) => isSameName(operator.name, name));
  if (taken) throw invalid('name', `could be taken for ${taken.name}, who is there already`);
}

/** Returns the id under which an invite is stored. The link cannot be derived from it. */
export function inviteId(sealer: Pick<Sealer, 'digest'>, token: string): string {
  return sealer.digest('operators/invite', token).toString('base64url');
}

/** Returns a link with the token in the fragment, which browsers do not send. */
export function inviteLink(consoleUrl: string, { token }: { token: string }): string {
  return `${consoleUrl}#invite=${token}`;
}

/** Returns the link that development prints at its start, until an operator can sign in. */
export async function inviteFirstOperator(
  consoleUrl: string | undefined,
  { operators, record }: { operators: Operators; record: RecordAct },
): Promise<string | undefined> {
  if (consoleUrl === undefined) return undefined;
  if ((await operators.list()).some(({ name, passkeys }) => passkeys > 0 || name !== 'admin')) return undefined;
  await record(await operators.inviteActOf('admin'), 'admin');
  const invite = await operators.invite('admin', 'admin');
  return invite && inviteLink(consoleUrl, invite);
}
