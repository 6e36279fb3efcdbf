// Passkeys: made at an enrolment, asserted at a sign-in, each answer good for one session, plan and attempt.
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Logger } from 'pino';
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Vouched } from '../../platform/database/schema.ts';
import type { PersonId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { VouchedRows } from '../vouched/vouched-rows.ts';
import { readAssertion, readRegistration } from './read-response.ts';
import type { RelyingParty } from './relying-party.ts';
import type { PasskeyStore } from './store.ts';

/** What a challenge is made of; of another session, plan or attempt it is another challenge. */
export interface PasskeyBinding {
  sessionId: string;
  /** Of the plan. */
  nonce: string;
  /** Counts the options given out under this plan, so that no answer is good twice. */
  attempt: number;
}

/** A passkey that was made but is not stored yet. Plain JSON, for the session's sealed evidence. */
export interface NewPasskey {
  credentialId: string;
  /** COSE key, base64url. */
  publicKey: string;
  counter: number;
  transports: string[];
}

export interface PasskeyHolder {
  owner: Owner;
  personId: PersonId;
}

/** Whom a passkey is made for, and who asks for it. */
export interface PasskeySubject {
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
  /** Asked each time: the address may be known only when the service listens. */
  relyingParty: () => RelyingParty;
  clock: Clock;
  log: Logger;
}

const PAGE_TIMEOUT_MS = 60_000;
/** EdDSA, ES256, RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257];
/** Shown by the browser where it names the passkey; we know no name of the person. */
const SHOWN_NAME = 'Face sign-in';

type Operation = 'register' | 'assert';

/** Loaded for the first passkey: its 290 files were a tenth of every start. */
const loadLibrary = () => import('@simplewebauthn/server');

export function createPasskeys({ store, sealer, relyingParty, clock, log }: PasskeysOptions): Passkeys {
  const challengeOf = (operation: Operation, { sessionId, nonce, attempt }: PasskeyBinding, personId = '') =>
    sealer.digest('passkeys/challenge', [operation, sessionId, nonce, attempt, personId].join('\n'));

  return {
    async registrationOptions(binding, { personId, requester }) {
      const { generateRegistrationOptions } = await loadLibrary();
      const { id } = relyingParty();
      const name = requester === null ? SHOWN_NAME : `${SHOWN_NAME}, ${requester}`;
      return generateRegistrationOptions({
        rpName: name,
        rpID: id,
        userName: name,
        userDisplayName: name,
        // The user's id is left to the library, which draws it: one that is the person's would tell who is enrolled.
        challenge: Uint8Array.from(challengeOf('register', binding, personId)),
        timeout: PAGE_TIMEOUT_MS,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
    },

    async verifyRegistration(binding, personId, response) {
      const answer = readRegistration(response);
      if (!answer) return refuse('form');
      const { verifyRegistrationResponse } = await loadLibrary();
      const { id, origins } = relyingParty();
      const verified = await quietly(() =>
        verifyRegistrationResponse({
          response: answer as RegistrationResponseJSON,
          expectedChallenge: challengeOf('register', binding, personId).toString('base64url'),
          expectedOrigin: origins,
          expectedRPID: id,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        }),
      );
      if (!verified?.verified) return refuse('registration');
      const { credential } = verified.registrationInfo;
      return {
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: answer.response.transports,
      };
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

    async assertionOptions(binding) {
      const { generateAuthenticationOptions } = await loadLibrary();
      return generateAuthenticationOptions({
        rpID: relyingParty().id,
        challenge: Uint8Array.from(challengeOf('assert', binding)),
        timeout: PAGE_TIMEOUT_MS,
        userVerification: 'required',
      });
    },

    async verifyAssertion(binding, owner, response) {
      const answer = readAssertion(response);
      const passkey = answer && (await store.find(owner, answer.id));
      if (!answer || !passkey) return refuse(answer ? 'unknown credential' : 'form');
      const { verifyAuthenticationResponse } = await loadLibrary();
      const { id, origins } = relyingParty();
      const verified = await quietly(() =>
        verifyAuthenticationResponse({
          response: answer as AuthenticationResponseJSON,
          expectedChallenge: challengeOf('assert', binding).toString('base64url'),
          expectedOrigin: origins,
          expectedRPID: id,
          requireUserVerification: true,
          credential: {
            id: passkey.credential_id,
            publicKey: Uint8Array.from(passkey.public_key),
            counter: passkey.counter,
          },
        }),
      );
      if (!verified?.verified) return refuse('assertion');
      // Of two with one counter the second finds no row: one of them is a copy.
      if (!(await store.moveCounter(passkey, verified.authenticationInfo.newCounter, clock.now()))) {
        return refuse('counter');
      }
      return { personId: passkey.person_id, credentialId: passkey.credential_id };
    },
  };

  /** Without the session: whoever reads the log shall not be able to open its link. */
  function refuse(reason: string): undefined {
    log.warn({ reason }, 'a passkey was refused');
    return undefined;
  }
}

/** The library refuses by throwing, with the answer's own texts in its messages: those go nowhere. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
