// Passkeys: made at an enrolment, asserted at a sign-in, each answer good for one session, plan and attempt.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Logger } from 'pino';
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type SealLog } from '../../platform/sealing/row-seal.ts';
import type { RowSealer, Sealer } from '../../platform/sealing/sealer.ts';
import type { Ceremony, NewCredential } from '../../platform/webauthn/ceremony.ts';
import type { Embedders } from '../lifecycle/embedders.ts';
import type { Vouched } from '../tables.ts';
import { createVouchedRows, type VouchedRows } from './vouched-rows.ts';

/** What a challenge is made of; of another session, plan or attempt it is another challenge. */
export interface PasskeyBinding {
  sessionId: string;
  /** Of the plan. */
  nonce: string;
  /** Counts the options given out under this plan, so that no answer is good twice. */
  attempt: number;
}

/** A passkey that was made but is not stored yet. Plain JSON, for the session's sealed evidence. */
export type NewPasskey = NewCredential;

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

export interface Passkeys extends Pick<VouchedRows, 'voucherOf' | 'vouch' | 'trustOnly'> {
  registrationOptions(
    binding: PasskeyBinding,
    subject: PasskeySubject,
  ): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /** Good for the person that the options were made for; undefined when it is refused, and the log says why. */
  verifyRegistration(binding: PasskeyBinding, personId: PersonId, response: unknown): Promise<NewPasskey | undefined>;
  /** In the transaction that ends an enrolment; false when a credential of this id is stored already. */
  add(trx: Transaction, holder: PasskeyHolder, passkey: NewPasskey, vouched: Vouched): Promise<boolean>;
  assertionOptions(binding: PasskeyBinding): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** Whose passkey it was; undefined when it is refused. The counter moves on at once, whatever becomes of the session. */
  verifyAssertion(
    binding: PasskeyBinding,
    owner: Owner,
    response: unknown,
  ): Promise<{ personId: PersonId; credentialId: string } | undefined>;
}

interface PasskeysOptions {
  store: PasskeyStore;
  sealer: Sealer;
  ceremony: Ceremony;
  embedders: Embedders;
  clock: Clock;
  log: Logger;
}

/** Shown by the browser where it names the passkey; we know no name of the person. */
const SHOWN_NAME = 'Face sign-in';

type Operation = 'register' | 'assert';

export function createPasskeys({ store, sealer, ceremony, embedders, clock, log }: PasskeysOptions): Passkeys {
  const challengeOf = (operation: Operation, { sessionId, nonce, attempt }: PasskeyBinding, personId = '') =>
    sealer.digest('passkeys/challenge', [operation, sessionId, nonce, attempt, personId].join('\n'));

  return {
    registrationOptions(binding, { personId, requester }) {
      const name = requester === null ? SHOWN_NAME : `${SHOWN_NAME}, ${requester}`;
      return ceremony.registrationOptions(challengeOf('register', binding, personId), name);
    },

    async verifyRegistration(binding, personId, response) {
      const made = await ceremony.verifyRegistration(challengeOf('register', binding, personId), response);
      return 'refused' in made ? refuse(made.refused) : made;
    },

    async add(trx, { owner, personId }, { credentialId, publicKey, counter, transports }, vouched) {
      const now = clock.now();
      const added = await store.insert(trx, {
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
      if (added) await store.keepLatest(trx, personId);
      return added;
    },

    voucherOf: store.voucherOf,
    vouch: store.vouch,
    trustOnly: store.trustOnly,

    assertionOptions: (binding) => ceremony.assertionOptions(challengeOf('assert', binding)),

    async verifyAssertion(binding, owner, response) {
      const find = async (id: string) => {
        const row = await store.find(owner, id);
        return row && { row, credentialId: row.credential_id, publicKey: row.public_key, counter: row.counter };
      };
      const challenge = challengeOf('assert', binding);
      const asserted = await ceremony.verifyAssertion(challenge, response, find, await embedders(binding.sessionId));
      if ('refused' in asserted) return refuse(asserted.refused);
      const { row } = asserted.known;
      // Of two with one counter the second finds no row: one of them is a copy.
      if (!(await store.moveCounter(row, asserted.counter, clock.now()))) return refuse('counter');
      return { personId: row.person_id, credentialId: row.credential_id };
    },
  };

  /** Without the session: whoever reads the log shall not be able to open its link. */
  function refuse(reason: string): undefined {
    log.warn({ reason }, 'a passkey was refused');
    return undefined;
  }
}

export type PasskeyRow = Schema['passkeys'];

interface PasskeyStore extends VouchedRows {
  /** False when there is a credential of this id already. */
  insert(trx: Transaction, row: Omit<PasskeyRow, 'mac'>): Promise<boolean>;
  /** Finds the passkey of a confirmed person of this owner. */
  find(owner: Owner, credentialId: string): Promise<PasskeyRow | undefined>;
  /** Moves the counter on; false when another assertion did so first. */
  moveCounter(row: PasskeyRow, counter: number, now: number): Promise<boolean>;
}

export function createPasskeyStore({ queries, engine }: Database, sealer: RowSealer, log: SealLog): PasskeyStore {
  const seal = createRowSeal<PasskeyRow>(sealer, 'passkeys', { log, nameOf: (row) => row.credential_id });

  /** Keeps others from changing it until the transaction ends. */
  async function lockOf(trx: Transaction, personId: PersonId, credentialId: string): Promise<PasskeyRow | undefined> {
    const query = trx.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId);
    const row = seal.ifWhole(await holdRows(engine, query).executeTakeFirst());
    return row?.person_id === personId ? row : undefined;
  }

  /** False when the row is no longer as it was read. */
  function change(db: Queries, row: PasskeyRow, changes: Partial<PasskeyRow>): Promise<boolean> {
    const query = db.selectFrom('passkeys').selectAll().where('credential_id', '=', row.credential_id);
    return seal.changeAsRead(
      row,
      (from) => changeFrom(db, from, changes),
      () => query.executeTakeFirst(),
    );
  }

  async function changeFrom(db: Queries, row: PasskeyRow, changes: Partial<PasskeyRow>): Promise<boolean> {
    const { mac } = seal.sign({ ...row, ...changes });
    const { numUpdatedRows } = await db
      .updateTable('passkeys')
      .set({ ...changes, mac })
      .where('credential_id', '=', row.credential_id)
      .where('mac', '=', row.mac)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  return {
    async insert(trx, row) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('passkeys')
        .values(seal.sign(row))
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    async find(owner, credentialId) {
      const row = await queries
        .selectFrom('passkeys')
        .innerJoin('people', 'people.id', 'passkeys.person_id')
        .selectAll('passkeys')
        .where('credential_id', '=', credentialId)
        .where(({ and }) => and(columnsOf(owner)))
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst();
      return seal.ifWhole(row);
    },

    moveCounter: (row, counter, now) => change(queries, row, { counter, last_used_at: now }),

    ...createVouchedRows<PasskeyRow>({
      lockOf,
      change,
      listOf: (trx, personId) =>
        trx
          .selectFrom('passkeys')
          .select(['credential_id as id', 'vouched', 'last_used_at'])
          .where('person_id', '=', personId)
          .execute(),
      remove: (trx, ids) => trx.deleteFrom('passkeys').where('credential_id', 'in', ids).execute(),
    }),
  };
}
