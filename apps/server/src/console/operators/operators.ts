// Who may use the console: invited by name and role, listed, removed with all that is theirs.
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

const TOKEN_BYTES = 32;

/** A link for somebody who was there already. */
export const REINVITE_ACT = 'operator.reinvite';
type InviteAct = 'operator.invite' | typeof REINVITE_ACT;

/** The role of an operator who is invited without one. */
const DEFAULT_ROLE: Role = 'reviewer';

export type Operators = ReturnType<typeof createOperators>;
export type ListedOperator = Awaited<ReturnType<Operators['list']>>[number];

export function createOperators(core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'>) {
  const { database, sealer, clock, ids, log } = core;
  const store = createOperatorStore(database, sealer, log);
  return {
    ...createRemovals(database, store),
    /**
     * Creates a link for a new operator, or for another passkey of a known operator, whose earlier
     * links it voids. Returns undefined if the operator has another role, because an invitation
     * never changes a role. Throws if the name is not allowed or too similar to an existing one.
     * Here and below, `noted` writes the audit record in the same transaction.
     */
    async invite(name: string, role: Role | undefined, noted?: InTransaction) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const now = clock.now();
      const expiresAt = now + INVITE_MINUTES * 60_000;
      const operator = await database.transact(async (trx) => {
        // Locked, so that of two links that are made at once the later voids the earlier.
        const all = await store.holdAll(trx);
        const known = all.find((one) => one.name === name);
        if (!known) refuseName(name, all);
        if (known && !known.whole) throw invalid('name', 'is of a row that was edited; see limen operators remove');
        if (known?.whole && role !== undefined && known.whole.role !== role) return undefined;
        const invited = known?.whole ?? {
          id: ids.random<OperatorId>(),
          name,
          role: role ?? DEFAULT_ROLE,
          created_at: now,
        };
        if (known) await store.deleteInvites(trx, invited.id);
        else await store.insert(trx, invited);
        const id = inviteId(sealer, token);
        await store.insertInvite(trx, { id, operator_id: invited.id, expires_at: expiresAt });
        await noted?.(trx);
        return { id: invited.id, name, role: invited.role };
      });
      return operator && { operator, token, expiresAt };
    },

    /**
     * Returns the act for the audit log. Inviting a known operator has its own act, because the new
     * passkey may not be theirs. Throws for names that are not allowed, which keeps them out of the
     * log.
     */
    async inviteActOf(name: string): Promise<InviteAct> {
      const all = await store.list();
      if (all.some((one) => one.name === name)) return REINVITE_ACT;
      refuseName(name, all);
      return 'operator.invite';
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
            /** Whether they sign in with an identity provider. */
            isProvided: provided.has(id),
            /** Number of sessions that are open now. */
            sessions: sessions.length,
          };
        }),
      );
    },

    isProvided: store.isProvided,
    hasPasskey: async (id: OperatorId) => (await store.countPasskeys()).has(id),

    /** Lists the oldest first. */
    async passkeysOf(id: OperatorId) {
      const rows = await store.listPasskeys(id);
      return rows.map(({ credential_id, created_at, answered_at }) => ({
        id: credential_id,
        createdAt: created_at,
        usedAt: answered_at > created_at ? answered_at : null,
      }));
    },

    /** Returns whether a row has this name, even an edited one, which is not listed. */
    isKnown: (name: string) =>
      database.transact(async (trx) => (await store.holdAll(trx)).some((one) => one.name === name)),

    /** Ends all sessions of an operator and returns their number. Returns undefined if no operator has this name. */
    async signOut(name: string) {
      const operator = await store.findByName(name);
      return operator && store.deleteSessions(operator.id);
    },
  };
}

function createRemovals(database: Database, store: OperatorStore) {
  /**
   * Returns whether no admin could sign in without this operator, or without this passkey of theirs. Locks the admins, so that two
   * removals at once do not leave none.
   */
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

    /** Removes a passkey, unless it is the last one with which an admin signs in without a provider. `keepsOne`: one has to stay. */
    removePasskey: (
      id: OperatorId,
      passkeyId: string,
      { keepsOne = false, noted }: { keepsOne?: boolean; noted?: InTransaction } = {},
    ) =>
      database.transact(async (trx) => {
        const isLast = await isLastWayIn(trx, id, passkeyId);
        await store.hold(trx, id);
        const others = (await store.listPasskeys(id, trx)).filter((row) => row.credential_id !== passkeyId);
        if (keepsOne && others.length === 0) return 'only one';
        if (isLast) return 'last admin';
        if (!(await store.deletePasskey(trx, id, passkeyId))) return 'nobody';
        await noted?.(trx);
        return 'removed';
      }),

    /** Removes an operator. Returns false if no operator has this name. */
    remove: (name: string) => database.transact((trx) => store.remove(trx, name)),

    /** Removes an operator by id, unless no other admin could sign in. */
    removeUnlessLast: (id: OperatorId, noted?: InTransaction) =>
      database.transact(async (trx) => {
        if (await isLastWayIn(trx, id)) return 'last admin';
        if (!(await store.removeById(trx, id))) return 'nobody';
        await noted?.(trx);
        return 'removed';
      }),
  };
}

/** Of somebody new. */
function refuseName(name: string, others: readonly { name: string }[]): void {
  const problem = findNameProblem(name);
  if (problem !== undefined) throw invalid('name', problem);
  const taken = others.find((one) => isSameName(one.name, name));
  if (taken) throw invalid('name', `could be taken for ${taken.name}, who is there already`);
}

/** Under which an invite is stored: whoever reads the database cannot make the link. */
export function inviteId(sealer: Pick<Sealer, 'digest'>, token: string): string {
  return sealer.digest('operators/invite', token).toString('base64url');
}

/** In the fragment, which browsers send to nobody. */
export function inviteLink(consoleUrl: string, { token }: { token: string }): string {
  return `${consoleUrl}#invite=${token}`;
}

const FIRST_NAME = 'admin';

/** Returns the link that development prints at its start. Returns undefined without a console, or once an operator can sign in. */
export async function inviteFirstOperator(
  consoleUrl: string | undefined,
  { operators, record }: { operators: Operators; record: RecordAct },
): Promise<string | undefined> {
  if (consoleUrl === undefined) return undefined;
  if ((await operators.list()).some(({ name, passkeys }) => passkeys > 0 || name !== FIRST_NAME)) return undefined;
  await record(await operators.inviteActOf(FIRST_NAME), FIRST_NAME);
  const invite = await operators.invite(FIRST_NAME, 'admin');
  return invite && inviteLink(consoleUrl, invite);
}
