// How operators prove who they are: a passkey made with an invite, asserted at each sign-in and again for what destroys or creates.
import { randomBytes } from 'node:crypto';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/base/clock.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Ceremony } from '../../platform/webauthn/ceremony.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { inviteId } from './operators.ts';
import type { InviteRow, OperatorStore } from './store.ts';

/** How long a question to an authenticator may stay open. */
const TICKET_MS = 2 * 60_000;
const NONCE_BYTES = 16;
const TICKET = /^([0-9a-z]{1,12})\.[A-Za-z0-9_-]{22}$/;
/** Longer ones are not ours; they are not even hashed. */
const MAX_TOKEN_LENGTH = 100;

/** A question to an authenticator. The ticket comes back with the answer: the challenge is made from it again. */
interface Question<Options> {
  ticket: string;
  options: Options;
}

/** The answer, as it came. */
export interface Answer {
  ticket: string;
  response: unknown;
}

/** One act on one thing: an answer that was given for it is good for nothing else. */
interface ConfirmedAct {
  /** The session of the operator, by its id. */
  sessionId: string;
  operatorId: OperatorId;
  act: string;
  about: string;
}

/** `provided`: an identity provider stands for them, and a passkey is not enough. `operator`: whose the passkey is, if anybody's. */
type SignedIn = { state: 'in' | 'provided'; operator: Operator } | { state: 'refused'; operator: Operator | undefined };

interface Asserted {
  operatorId: OperatorId | undefined;
  isGood: boolean;
}

interface SignInOptions {
  database: Database;
  store: OperatorStore;
  sealer: Pick<Sealer, 'digest'>;
  ceremony: Ceremony;
  clock: Clock;
  log: Logger;
}

export function createSignIn({ database, store, sealer, ceremony, clock, log }: SignInOptions) {
  const newTicket = () => `${clock.now().toString(36)}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
  const challengeOf = (ticket: string, ...bound: string[]) =>
    sealer.digest('operators/challenge', JSON.stringify([ticket, ...bound]));
  const boundToAct = ({ sessionId, operatorId, act, about }: ConfirmedAct) => [
    'act',
    sessionId,
    operatorId,
    act,
    about,
  ];

  return {
    /** Undefined where the invite was used, is late, or never was. */
    async openInvite(
      token: string,
    ): Promise<(Question<PublicKeyCredentialCreationOptionsJSON> & { operator: Operator }) | undefined> {
      const invite = await findInvite(token);
      const operator = invite && (await store.find(invite.operator_id));
      if (!operator) return undefined;
      const ticket = newTicket();
      const { id, name, role } = operator;
      const options = await ceremony.registrationOptions(
        challengeOf(ticket, 'register', invite.id),
        `Limen console, ${name}`,
      );
      return { ticket, options, operator: { id, name, role } };
    },

    /** Makes the passkey theirs and uses the invite up; undefined when it is refused. `before` is called when it is found good. */
    async register(
      token: string,
      { ticket, response }: Answer,
      before: (operator: Operator) => Promise<void>,
    ): Promise<Operator | undefined> {
      const invite = await findInvite(token);
      const row = invite && (await store.find(invite.operator_id));
      const askedAt = readTicket(ticket);
      if (!row || askedAt === undefined) return refuse('invite');
      const operator = { id: row.id, name: row.name, role: row.role };
      const made = await ceremony.verifyRegistration(challengeOf(ticket, 'register', invite.id), response);
      if ('refused' in made) return refuse(made.refused);
      await before(operator);
      const isTheirs = await database.transact(async (trx) => {
        if (!(await store.useInvite(trx, invite))) return false;
        return store.insertPasskey(trx, {
          credential_id: made.credentialId,
          operator_id: operator.id,
          public_key: Buffer.from(made.publicKey, 'base64url'),
          counter: made.counter,
          answered_at: askedAt,
          created_at: clock.now(),
        });
      });
      return isTheirs ? operator : refuse('invite');
    },

    async ask(): Promise<Question<PublicKeyCredentialRequestOptionsJSON>> {
      const ticket = newTicket();
      return { ticket, options: await ceremony.assertionOptions(challengeOf(ticket, 'sign in')) };
    },

    async signIn(answer: Answer): Promise<SignedIn> {
      const { operatorId, isGood } = await assert(answer, ['sign in']);
      const row = operatorId && (await store.find(operatorId));
      if (!row) return { state: 'refused', operator: undefined };
      const operator = { id: row.id, name: row.name, role: row.role };
      if (!isGood) return { state: 'refused', operator };
      return { state: (await store.isProvided(operator.id)) ? 'provided' : 'in', operator };
    },

    async askForAct(act: ConfirmedAct): Promise<Question<PublicKeyCredentialRequestOptionsJSON>> {
      const ticket = newTicket();
      return { ticket, options: await ceremony.assertionOptions(challengeOf(ticket, ...boundToAct(act))) };
    },

    async confirmsAct(act: ConfirmedAct, answer: Answer): Promise<boolean> {
      const { operatorId, isGood } = await assert(answer, boundToAct(act));
      return isGood && operatorId === act.operatorId;
    },
  };

  async function findInvite(token: string): Promise<InviteRow | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const invite = await store.findInvite(inviteId(sealer, token));
    return invite && invite.expires_at > clock.now() ? invite : undefined;
  }

  /**
   * Whose passkey it is that answered, and whether the answer is good. Synced passkeys do not count, so that of each only
   * answers to newer questions than the last are taken: nothing is good twice.
   */
  async function assert({ ticket, response }: Answer, bound: string[]): Promise<Asserted> {
    let operatorId: OperatorId | undefined;
    const refused = (reason: string): Asserted => {
      refuse(reason);
      return { operatorId, isGood: false };
    };
    const askedAt = readTicket(ticket);
    if (askedAt === undefined) return refused('ticket');
    const asserted = await ceremony.verifyAssertion(challengeOf(ticket, ...bound), response, async (id) => {
      const row = await store.findPasskey(id);
      operatorId = row?.operator_id;
      return row && { row, credentialId: row.credential_id, publicKey: row.public_key, counter: row.counter };
    });
    if ('refused' in asserted) return refused(asserted.refused);
    const { row } = asserted.known;
    if (row.answered_at >= askedAt) return refused('replayed');
    const moved = await store.movePasskey(row, { counter: asserted.counter, answered_at: askedAt });
    return moved ? { operatorId, isGood: true } : refused('counter');
  }

  /** When the question was asked, unless that is too long ago. */
  function readTicket(ticket: string): number | undefined {
    const askedAt = Number.parseInt(TICKET.exec(ticket)?.[1] ?? '', 36);
    const age = clock.now() - askedAt;
    return age >= 0 && age <= TICKET_MS ? askedAt : undefined;
  }

  function refuse(reason: string): undefined {
    log.warn({ reason }, 'an operator’s passkey was refused');
    return undefined;
  }
}

export type SignIn = ReturnType<typeof createSignIn>;
