// Passkeys: made at an enrolment, asserted at a sign-in, each answer good for one session, plan and attempt.
import type { Logger } from 'pino';
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type RowSeal } from '../../platform/sealing/row-seal.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Ceremony, NewCredential } from '../../platform/webauthn/ceremony.ts';
import type { Embedders } from '../lifecycle/embedders.ts';
import type { Vouched } from '../tables.ts';
import { VouchedRows } from './vouched-rows.ts';

export type PasskeyRow = Schema['passkeys'];

/** What a challenge is made of; of another session, plan or attempt it is another challenge. */
export interface PasskeyBinding {
  sessionId: string;
  /** Of the plan. */
  nonce: string;
  /** Counts the options given out under this plan, so that no answer is good twice. */
  attempt: number;
}

interface PasskeyHolder {
  owner: Owner;
  personId: PersonId;
}

/** Whom a passkey is made for, and who asks for it. */
interface PasskeySubject {
  personId: PersonId;
  /** Shown by the browser; null when it is not known. */
  requester: string | null;
}

/** Shown by the browser where it names the passkey; we know no name of the person. */
const SHOWN_NAME = 'Face sign-in';

export class Passkeys extends VouchedRows<PasskeyRow> {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #seal: RowSeal<PasskeyRow>;
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #ceremony: Ceremony;
  readonly #embedders: Embedders;

  constructor(
    { database, sealer, clock, log }: Pick<Context, 'database' | 'sealer' | 'clock' | 'log'>,
    ceremony: Ceremony,
    embedders: Embedders,
  ) {
    super();
    this.#database = database;
    this.#sealer = sealer;
    this.#seal = createRowSeal(sealer, 'passkeys', { log, nameOf: (row) => row.credential_id });
    this.#clock = clock;
    this.#log = log;
    this.#ceremony = ceremony;
    this.#embedders = embedders;
  }

  registrationOptions(binding: PasskeyBinding, { personId, requester }: PasskeySubject) {
    const name = requester === null ? SHOWN_NAME : `${SHOWN_NAME}, ${requester}`;
    return this.#ceremony.registrationOptions(this.#challengeOf('register', binding, personId), name);
  }

  /** Good for the person that the options were made for. Returns undefined if it is refused, and logs why. */
  async verifyRegistration(binding: PasskeyBinding, personId: PersonId, response: unknown) {
    const challenge = this.#challengeOf('register', binding, personId);
    const made = await this.#ceremony.verifyRegistration(challenge, response);
    return 'refused' in made ? this.#refuse(made.refused) : made;
  }

  /** In the transaction that ends an enrolment. Returns false if a credential of this id is stored already. */
  async add(trx: Transaction, { owner, personId }: PasskeyHolder, credential: NewCredential, vouched: Vouched) {
    const { credentialId, publicKey, counter, transports } = credential;
    const now = this.#clock.now();
    const row = this.#seal.sign({
      credential_id: credentialId,
      ...columnsOf(owner),
      person_id: personId,
      public_key: Buffer.from(publicKey, 'base64url'),
      counter,
      transports: JSON.stringify(transports),
      vouched,
      created_at: now,
      last_used_at: now,
    });
    const { numInsertedOrUpdatedRows: added = 0n } = await trx
      .insertInto('passkeys')
      .values(row)
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .executeTakeFirst();
    if (added === 0n) return false;
    await this.keepLatest(trx, personId);
    return true;
  }

  assertionOptions(binding: PasskeyBinding) {
    return this.#ceremony.assertionOptions(this.#challengeOf('assert', binding));
  }

  /**
   * Returns whose passkey it was; undefined if it is refused. The counter moves on at once,
   * whatever becomes of the session.
   */
  async verifyAssertion(binding: PasskeyBinding, owner: Owner, response: unknown) {
    const find = async (id: string) => {
      const row = await this.find(owner, id);
      return row && { row, credentialId: row.credential_id, publicKey: row.public_key, counter: row.counter };
    };
    const asserted = await this.#ceremony.verifyAssertion(
      this.#challengeOf('assert', binding),
      response,
      find,
      await this.#embedders(binding.sessionId),
    );
    if ('refused' in asserted) return this.#refuse(asserted.refused);
    const { row } = asserted.known;
    // Of two with one counter the second finds no row: one of them is a copy.
    if (!(await this.moveCounter(row, asserted.counter))) return this.#refuse('counter');
    return { personId: row.person_id, credentialId: row.credential_id };
  }

  /** Finds the passkey of a confirmed person of this owner. */
  async find(owner: Owner, credentialId: string): Promise<PasskeyRow | undefined> {
    const row = await this.#database.queries
      .selectFrom('passkeys')
      .innerJoin('people', 'people.id', 'passkeys.person_id')
      .selectAll('passkeys')
      .where('credential_id', '=', credentialId)
      .where(({ and }) => and(columnsOf(owner)))
      .where('people.provisional_session', 'is', null)
      .executeTakeFirst();
    return this.#seal.ifWhole(row);
  }

  /** Returns false if another assertion moved the counter first. */
  moveCounter(row: PasskeyRow, counter: number): Promise<boolean> {
    return this.change(this.#database.queries, row, { counter, last_used_at: this.#clock.now() });
  }

  #challengeOf(operation: 'register' | 'assert', { sessionId, nonce, attempt }: PasskeyBinding, personId = '') {
    return this.#sealer.digest('passkeys/challenge', [operation, sessionId, nonce, attempt, personId].join('\n'));
  }

  /** Logs no session: a reader of the log must not be able to open its link. */
  #refuse(reason: string): undefined {
    this.#log.warn({ reason }, 'a passkey was refused');
    return undefined;
  }

  protected async lockOf(trx: Transaction, personId: PersonId, credentialId: string) {
    const query = trx.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId);
    const row = this.#seal.ifWhole(await holdRows(this.#database.engine, query).executeTakeFirst());
    return row?.person_id === personId ? row : undefined;
  }

  protected change(db: Queries, row: PasskeyRow, changes: Partial<PasskeyRow>) {
    const ofThisId = db.selectFrom('passkeys').selectAll().where('credential_id', '=', row.credential_id);
    const changeFrom = async (from: PasskeyRow) => {
      const { mac } = this.#seal.sign({ ...from, ...changes });
      const { numUpdatedRows } = await db
        .updateTable('passkeys')
        .set({ ...changes, mac })
        .where('credential_id', '=', from.credential_id)
        .where('mac', '=', from.mac)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    };
    return this.#seal.changeAsRead(row, changeFrom, () => ofThisId.executeTakeFirst());
  }

  protected listOf(trx: Transaction, personId: PersonId) {
    return trx
      .selectFrom('passkeys')
      .select(['credential_id as id', 'vouched', 'last_used_at'])
      .where('person_id', '=', personId)
      .execute();
  }

  protected remove(trx: Transaction, ids: string[]) {
    return trx.deleteFrom('passkeys').where('credential_id', 'in', ids).execute();
  }
}
