// Who may use the console: invited by name and role, listed, removed with all that is theirs.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/base/clock.ts';
import { invalid } from '../../platform/base/errors.ts';
import type { Ids, OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';
import type { Database, InTransaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { findNameProblem, isSameName } from './names.ts';
import type { AblePasskey, OperatorRow, OperatorStore } from './store.ts';

export const INVITE_MINUTES = 15;
const TOKEN_BYTES = 32;

/** A link for somebody who was there already. */
export const REINVITE_ACT = 'operator.reinvite';
type InviteAct = 'operator.invite' | typeof REINVITE_ACT;

export interface ListedOperator extends Operator {
  createdAt: number;
  passkeys: number;
  /** Whether they sign in with an identity provider. */
  isProvided: boolean;
  /** Where they are signed in now. */
  sessions: number;
}

interface Invite {
  operator: Operator;
  /** What the link carries; kept nowhere. */
  token: string;
  expiresAt: number;
}

interface OperatorsOptions {
  database: Database;
  store: OperatorStore;
  sealer: Pick<Sealer, 'digest'>;
  clock: Clock;
  ids: Ids;
}

/** The role of whoever is invited without one being named. */
const DEFAULT_ROLE: Role = 'reviewer';

export function createOperators({ database, store, sealer, clock, ids }: OperatorsOptions) {
  return {
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
        // Held, so that of two links that are made at once the later voids the earlier.
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
      const passkeys = new Map((await store.countPasskeys()).map((row) => [row.operator_id, row.count]));
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

    /** Whether an identity provider stands for them. */
    isProvided: store.isProvided,
    hasPasskey: async (id: OperatorId) => (await store.countPasskeys()).some(({ operator_id }) => operator_id === id),

    /** The oldest first. */
    async passkeysOf(id: OperatorId) {
      const rows = await store.listPasskeys(id);
      return rows.map(({ credential_id, created_at, answered_at }) => ({
        id: credential_id,
        createdAt: created_at,
        usedAt: answered_at > created_at ? answered_at : null,
      }));
    },

    /** Unless it is the only one, where one has to stay, or the last with which an admin signs in without a provider. */
    removePasskey: (
      id: OperatorId,
      passkeyId: string,
      { keepsOne = false, noted }: { keepsOne?: boolean; noted?: InTransaction } = {},
    ) =>
      database.transact(async (trx) => {
        // Held, so that two passkeys that remove each other at once do not leave none.
        const admins = await store.holdAdmins(trx);
        await store.hold(trx, id);
        const able = await store.listAble(trx);
        const isTheirs = (one: AblePasskey) => one.operatorId === id && one.passkeyId === passkeyId;
        const left = able.filter((one) => !isTheirs(one));
        const others = (await store.listPasskeys(id, trx)).filter((row) => row.credential_id !== passkeyId);
        if (keepsOne && others.length === 0) return 'only one';
        if (left.length < able.length && isLastAdmin(admins, id, left)) return 'last admin';
        if (!(await store.deletePasskey(trx, id, passkeyId))) return 'nobody';
        await noted?.(trx);
        return 'removed';
      }),

    /** Removes an operator. Returns false if no operator has this name. */
    remove: (name: string) => database.transact((trx) => store.remove(trx, name)),

    /** Also where the row was edited, so that it is not listed. */
    isKnown: (name: string) =>
      database.transact(async (trx) => (await store.holdAll(trx)).some((one) => one.name === name)),

    /** Whether no admin could sign in without them, or without this passkey of theirs. */
    isLastAdmin: (id: OperatorId, passkeyId?: string) =>
      database.transact(async (trx) => {
        const admins = await store.holdAdmins(trx);
        const able = await store.listAble(trx);
        const goes = (one: AblePasskey) =>
          one.operatorId === id && (passkeyId === undefined || one.passkeyId === passkeyId);
        const left = able.filter((one) => !goes(one));
        return left.length < able.length && isLastAdmin(admins, id, left);
      }),

    /** Removes an operator by id, unless no other admin could sign in. */
    removeUnlessLast: (id: OperatorId, noted?: InTransaction) =>
      database.transact(async (trx) => {
        // Held, so that two admins who remove each other at once do not leave none.
        const admins = await store.holdAdmins(trx);
        const able = await store.listAble(trx);
        const left = able.filter(({ operatorId }) => operatorId !== id);
        if (left.length < able.length && isLastAdmin(admins, id, left)) return 'last admin';
        if (!(await store.removeById(trx, id))) return 'nobody';
        await noted?.(trx);
        return 'removed';
      }),

    /**
     * Ends all sessions of an operator and returns their number. Returns undefined if no operator
     * has this name.
     */
    async signOut(name: string) {
      const operator = await store.findByName(name);
      return operator && store.deleteSessions(operator.id);
    },
  };
}

export type Operators = ReturnType<typeof createOperators>;

/** Of somebody new. */
function refuseName(name: string, others: readonly { name: string }[]): void {
  const problem = findNameProblem(name);
  if (problem !== undefined) throw invalid('name', problem);
  const taken = others.find((one) => isSameName(one.name, name));
  if (taken) throw invalid('name', `could be taken for ${taken.name}, who is there already`);
}

/** Whether an admin goes, and none of those who are left can sign in. */
function isLastAdmin(admins: readonly OperatorRow[], id: OperatorId, left: readonly AblePasskey[]): boolean {
  return (
    admins.some((admin) => admin.id === id) &&
    !admins.some((admin) => left.some(({ operatorId }) => operatorId === admin.id))
  );
}

/** Under which an invite is stored: whoever reads the database cannot make the link. */
export function inviteId(sealer: Pick<Sealer, 'digest'>, token: string): string {
  return sealer.digest('operators/invite', token).toString('base64url');
}

/** In the fragment, which browsers send to nobody. */
export function inviteLink(consoleUrl: string, { token }: Pick<Invite, 'token'>): string {
  return `${consoleUrl}#invite=${token}`;
}
