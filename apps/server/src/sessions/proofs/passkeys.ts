// Passkeys of people: created at an enrollment, asserted at a sign-in.
import { type Owner, ownerColumns } from '../../platform/api-keys/owner.ts';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type RowSeal } from '../../platform/sealing/row-seal.ts';
import type { Ceremony, NewCredential } from '../../platform/webauthn/ceremony.ts';
import type { FindEmbedders } from '../lifecycle/embedders.ts';
import type { VouchingLevel } from '../tables.ts';
import { VouchedRows } from './vouched-rows.ts';

export type PasskeyRow = Schema['passkeys'];

/** Binds a challenge to one attempt, so that each answer is accepted once. */
export interface PasskeyBinding {
  sessionId: string;
  nonce: string;
  attempt: number;
}

type PasskeyContext = Pick<Context, 'database' | 'sealer' | 'clock' | 'log'>;

export class Passkeys extends VouchedRows<PasskeyRow> {
  readonly #context: PasskeyContext;
  readonly #seal: RowSeal<PasskeyRow>;
  readonly #ceremony: Ceremony;
  readonly #embedders: FindEmbedders;

  constructor(context: PasskeyContext, ceremony: Ceremony, embedders: FindEmbedders) {
    super();
    this.#context = context;
    this.#seal = createRowSeal(context.sealer, 'passkeys', { log: context.log, nameOf: (row) => row.credential_id });
    this.#ceremony = ceremony;
    this.#embedders = embedders;
  }

  registrationOptions(
    binding: PasskeyBinding,
    { personId, requester }: { personId: PersonId; requester: string | null },
  ) {
    // Browsers show the name next to the passkey. The person's own name is unknown.
    const name = requester === null ? 'Face sign-in' : `Face sign-in, ${requester}`;
    return this.#ceremony.registrationOptions(this.#challengeOf('register', binding, personId), name);
  }

  async verifyRegistration(binding: PasskeyBinding, personId: PersonId, response: unknown) {
    const challenge = this.#challengeOf('register', binding, personId);
    const made = await this.#ceremony.verifyRegistration(challenge, response);
    return 'refused' in made ? this.#refuse(made.refused) : made;
  }

  /** Adds a passkey as part of ending an enrollment. Returns false if the credential is stored already. */
  async add(
    trx: Transaction,
    { owner, personId }: { owner: Owner; personId: PersonId },
    { credentialId, publicKey, counter, transports }: NewCredential,
    vouched: VouchingLevel,
  ) {
    const now = this.#context.clock.now();
    const row = this.#seal.sign({
      credential_id: credentialId,
      ...ownerColumns(owner),
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

  /** Returns the owner of the passkey, or undefined if refused. The counter moves at once, in any case. */
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
    // A concurrent assertion with the same counter matches no row: one of the two is a copy.
    if (!(await this.moveCounter(row, asserted.counter))) return this.#refuse('counter');
    return { personId: row.person_id, credentialId: row.credential_id };
  }

  async find(owner: Owner, credentialId: string): Promise<PasskeyRow | undefined> {
    const row = await this.#context.database.queries
      .selectFrom('passkeys')
      .innerJoin('people', 'people.id', 'passkeys.person_id')
      .selectAll('passkeys')
      .where('credential_id', '=', credentialId)
      .where(({ and }) => and(ownerColumns(owner)))
      .where('people.provisional_session', 'is', null)
      .executeTakeFirst();
    return this.#seal.ifWhole(row);
  }

  moveCounter(row: PasskeyRow, counter: number): Promise<boolean> {
    return this.change(this.#context.database.queries, row, { counter, last_used_at: this.#context.clock.now() });
  }

  #challengeOf(operation: 'register' | 'assert', { sessionId, nonce, attempt }: PasskeyBinding, personId = '') {
    return this.#context.sealer.digest(
      'passkeys/challenge',
      [operation, sessionId, nonce, attempt, personId].join('\n'),
    );
  }

  /** Logs no session: its id would open its link. */
  #refuse(reason: string): undefined {
    this.#context.log.warn({ reason }, 'a passkey was refused');
    return undefined;
  }

  protected async lockOf(trx: Transaction, personId: PersonId, credentialId: string) {
    const query = trx.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId);
    const row = this.#seal.ifWhole(await holdRows(this.#context.database.engine, query).executeTakeFirst());
    return row?.person_id === personId ? row : undefined;
  }

  protected change(db: Queries, row: PasskeyRow, changes: Partial<PasskeyRow>) {
    const current = db.selectFrom('passkeys').selectAll().where('credential_id', '=', row.credential_id);
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
    return this.#seal.changeAsRead(row, changeFrom, () => current.executeTakeFirst());
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
