// Who may use the console: invited by name and role, listed, removed with all that is theirs.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Ids, named, type OperatorId } from '../../platform/ids.ts';
import type { Role } from '../../platform/roles.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { AblePasskey, OperatorRow, OperatorStore } from './store.ts';

export const INVITE_MINUTES = 15;
const TOKEN_BYTES = 32;

export interface Operator {
  id: OperatorId;
  name: string;
  role: Role;
}

/** Whoever has the machine, in the audit log: they may do everything, and have no passkey. */
export const COMMAND_LINE: Operator = { id: named('command line'), name: 'command line', role: 'admin' };

export interface ListedOperator extends Operator {
  createdAt: number;
  passkeys: number;
  /** Whether they sign in with an identity provider. */
  isProvided: boolean;
  /** Where they are signed in now. */
  sessions: number;
}

export interface ListedPasskey {
  /** As the browser names it. */
  id: string;
  createdAt: number;
  /** Null until it was used again after it was made. */
  usedAt: number | null;
}

export interface Invite {
  operator: Operator;
  /** What the link carries; kept nowhere. */
  token: string;
  expiresAt: number;
}

export interface Operators {
  /**
   * A link for somebody new, or for another passkey of somebody known, whose earlier links it voids. Undefined where they have
   * another role: roles are not changed by the way.
   */
  invite(name: string, role: Role | undefined): Promise<Invite | undefined>;
  list(): Promise<ListedOperator[]>;
  hasPasskey(id: OperatorId): Promise<boolean>;
  /** The oldest first. */
  passkeysOf(id: OperatorId): Promise<ListedPasskey[]>;
  /** Unless it is the only one, where one has to stay, or the last with which an admin signs in without a provider. */
  removePasskey(
    id: OperatorId,
    passkeyId: string,
    options?: { keepsOne: boolean },
  ): Promise<'removed' | 'only one' | 'last admin' | 'nobody'>;
  /** Whether an identity provider stands for them. */
  isProvided(id: OperatorId): Promise<boolean>;
  /** False when there is nobody of this name. */
  remove(name: string): Promise<boolean>;
  /** The same by id, unless nobody who could look after the others were left. */
  removeUnlessLast(id: OperatorId): Promise<'removed' | 'last admin' | 'nobody'>;
  /** Ends all their sessions, and says how many there were; undefined when there is nobody of this name. */
  signOut(name: string): Promise<number | undefined>;
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

export function createOperators({ database, store, sealer, clock, ids }: OperatorsOptions): Operators {
  return {
    async invite(name, role) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const now = clock.now();
      const expiresAt = now + INVITE_MINUTES * 60_000;
      const known = await store.findByName(name);
      if (known && role !== undefined && known.role !== role) return undefined;
      const operator = known ?? {
        id: ids.random<OperatorId>(),
        name,
        role: role ?? DEFAULT_ROLE,
        created_at: now,
      };
      await database.transact(async (trx) => {
        if (known) await store.deleteInvites(trx, known.id);
        else await store.insert(trx, operator);
        await store.insertInvite(trx, {
          id: inviteId(sealer, token),
          operator_id: operator.id,
          expires_at: expiresAt,
        });
      });
      return { operator: { id: operator.id, name, role: operator.role }, token, expiresAt };
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

    isProvided: store.isProvided,
    hasPasskey: async (id) => (await store.countPasskeys()).some(({ operator_id }) => operator_id === id),

    async passkeysOf(id) {
      const rows = await store.listPasskeys(id);
      return rows.map(({ credential_id, created_at, answered_at }) => ({
        id: credential_id,
        createdAt: created_at,
        usedAt: answered_at > created_at ? answered_at : null,
      }));
    },

    removePasskey: (id, passkeyId, { keepsOne } = { keepsOne: false }) =>
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
        return (await store.deletePasskey(trx, id, passkeyId)) ? 'removed' : 'nobody';
      }),

    remove: (name) => database.transact((trx) => store.remove(trx, name)),

    removeUnlessLast: (id) =>
      database.transact(async (trx) => {
        // Held, so that two admins who remove each other at once do not leave none.
        const admins = await store.holdAdmins(trx);
        const able = await store.listAble(trx);
        const left = able.filter(({ operatorId }) => operatorId !== id);
        if (left.length < able.length && isLastAdmin(admins, id, left)) return 'last admin';
        return (await store.removeById(trx, id)) ? 'removed' : 'nobody';
      }),

    async signOut(name) {
      const operator = await store.findByName(name);
      return operator && store.deleteSessions(operator.id);
    },
  };
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
