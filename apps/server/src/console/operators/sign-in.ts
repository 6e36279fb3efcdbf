// Operators prove their identity: register a passkey with an invite, assert it at each sign-in and
// before critical acts.
import { randomBytes } from 'node:crypto';
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import type { Ceremony } from '../../platform/webauthn/ceremony.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { MAX_TOKEN_LENGTH, QUESTION_TTL_MS } from '../limits.ts';
import { inviteId } from './operators.ts';
import type { OperatorStore } from './store.ts';

const TICKET = /^([0-9a-z]{1,12})\.[A-Za-z0-9_-]{22}$/;

/** Answer of an authenticator, with the ticket of its question. The challenge derives from the ticket. */
export interface PasskeyAnswer {
  ticket: string;
  response: unknown;
}

/** One act on one thing, the only one that its answer confirms. */
interface ConfirmedAct {
  sessionId: string;
  operatorId: OperatorId;
  act: string;
  about: string;
}

/**
 * `provided`: a passkey is not enough, because an identity provider signs the operator in.
 * `operator`: owner of the passkey, if known.
 */
type SignInState =
  | { state: 'in' | 'provided'; operator: Operator }
  | { state: 'refused'; operator: Operator | undefined };

export class OperatorSignIn {
  readonly #store;
  readonly #ceremony;
  readonly #context;

  constructor(
    store: OperatorStore,
    ceremony: Ceremony,
    context: Pick<Core, 'database' | 'clock' | 'log'> & { sealer: Pick<Core['sealer'], 'digest'> },
  ) {
    this.#store = store;
    this.#ceremony = ceremony;
    this.#context = context;
  }

  async openInvite(token: string) {
    const invite = await this.#findInvite(token);
    const row = invite && (await this.#store.find(invite.operator_id));
    if (!row) return undefined;
    const ticket = this.#newTicket();
    const challenge = this.#challengeOf(ticket, ['register', invite.id]);
    const options = await this.#ceremony.registrationOptions(challenge, `Limen console, ${row.name}`);
    return { ticket, options, operator: omitSecrets(row) };
  }

  /**
   * Registers the passkey and uses the invite up. Returns undefined if refused. Calls `before`
   * before anything changes.
   */
  async register(
    token: string,
    { ticket, response }: PasskeyAnswer,
    before: (operator: Operator) => Promise<void>,
  ): Promise<Operator | undefined> {
    const invite = await this.#findInvite(token);
    const row = invite && (await this.#store.find(invite.operator_id));
    const askedAt = this.#readTicket(ticket);
    if (!row || askedAt === undefined) return this.#refuse('invite');
    const made = await this.#ceremony.verifyRegistration(this.#challengeOf(ticket, ['register', invite.id]), response);
    if ('refused' in made) return this.#refuse(made.refused);
    await before(omitSecrets(row));
    const isRegistered = await this.#context.database.transact(async (trx) => {
      if (!(await this.#store.useInvite(trx, invite))) return false;
      return this.#store.insertPasskey(trx, {
        credential_id: made.credentialId,
        operator_id: row.id,
        public_key: Buffer.from(made.publicKey, 'base64url'),
        counter: made.counter,
        answered_at: askedAt,
        created_at: this.#context.clock.now(),
      });
    });
    return isRegistered ? omitSecrets(row) : this.#refuse('invite');
  }

  /** Asks for a passkey that confirms the act, or signs in. */
  async ask(act?: ConfirmedAct) {
    const ticket = this.#newTicket();
    return { ticket, options: await this.#ceremony.assertionOptions(this.#challengeOf(ticket, boundTo(act))) };
  }

  async signIn(answer: PasskeyAnswer): Promise<SignInState> {
    const { operatorId, isGood } = await this.#assert(answer);
    const row = operatorId && (await this.#store.find(operatorId));
    if (!row) return { state: 'refused', operator: undefined };
    const operator = omitSecrets(row);
    if (!isGood) return { state: 'refused', operator };
    return { state: (await this.#store.isProvided(operator.id)) ? 'provided' : 'in', operator };
  }

  async confirmsAct(act: ConfirmedAct, answer: PasskeyAnswer): Promise<boolean> {
    const { operatorId, isGood } = await this.#assert(answer, act);
    return isGood && operatorId === act.operatorId;
  }

  #newTicket(): string {
    return `${this.#context.clock.now().toString(36)}.${randomBytes(16).toString('base64url')}`;
  }

  #challengeOf(ticket: string, bound: readonly string[]) {
    return this.#context.sealer.digest('operators/challenge', JSON.stringify([ticket, ...bound]));
  }

  async #findInvite(token: string) {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const invite = await this.#store.findInvite(inviteId(this.#context.sealer, token));
    return invite && invite.expires_at > this.#context.clock.now() ? invite : undefined;
  }

  /**
   * Returns the owner of the passkey and whether the answer is good. Counters of synced passkeys
   * stay at zero, so answers must also be to a newer question than the last one.
   */
  async #assert({ ticket, response }: PasskeyAnswer, act?: ConfirmedAct) {
    let operatorId: OperatorId | undefined;
    const refused = (reason: string) => {
      this.#refuse(reason);
      return { operatorId, isGood: false };
    };
    const askedAt = this.#readTicket(ticket);
    if (askedAt === undefined) return refused('ticket');
    const asserted = await this.#ceremony.verifyAssertion(
      this.#challengeOf(ticket, boundTo(act)),
      response,
      async (id) => {
        const row = await this.#store.findPasskey(id);
        operatorId = row?.operator_id;
        return row && { row, credentialId: row.credential_id, publicKey: row.public_key, counter: row.counter };
      },
    );
    if ('refused' in asserted) return refused(asserted.refused);
    const { row } = asserted.known;
    if (row.answered_at >= askedAt) return refused('replayed');
    const moved = await this.#store.movePasskey(row, { counter: asserted.counter, answered_at: askedAt });
    return moved ? { operatorId, isGood: true } : refused('counter');
  }

  #readTicket(ticket: string): number | undefined {
    const askedAt = Number.parseInt(TICKET.exec(ticket)?.[1] ?? '', 36);
    const age = this.#context.clock.now() - askedAt;
    return age >= 0 && age <= QUESTION_TTL_MS ? askedAt : undefined;
  }

  #refuse(reason: string): undefined {
    this.#context.log.warn({ reason }, 'an operator’s passkey was refused');
    return undefined;
  }
}

function omitSecrets({ id, name, role }: Operator): Operator {
  return { id, name, role };
}

function boundTo(act: ConfirmedAct | undefined): string[] {
  return act ? ['act', act.sessionId, act.operatorId, act.act, act.about] : ['sign in'];
}
