// The ceremonies of WebAuthn as this service holds them: what a browser is asked for, and whether its answer is taken. One
// definition for all that passkeys are used for; who calls says what the challenge is made of.
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { RelyingParty } from './relying-party.ts';
import { readAssertion, readRegistration } from './response.ts';

/** A credential that was made but is not stored yet. Plain JSON. */
export interface NewCredential {
  credentialId: string;
  /** COSE key, base64url. */
  publicKey: string;
  counter: number;
  transports: string[];
}

/** What an assertion is held against. */
export interface KnownCredential {
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
}

/** Why an answer was not taken, for the log. */
export type CeremonyRefusal = 'form' | 'unknown credential' | 'registration' | 'assertion';

export type Asserted<Known> = { known: Known; counter: number } | { refused: CeremonyRefusal };

export interface Ceremony {
  /** `name` is shown by the browser where it lists the passkey. The user's id is drawn: it tells nothing of anybody. */
  registrationOptions(challenge: Uint8Array, name: string): Promise<PublicKeyCredentialCreationOptionsJSON>;
  verifyRegistration(challenge: Uint8Array, response: unknown): Promise<NewCredential | { refused: CeremonyRefusal }>;
  assertionOptions(challenge: Uint8Array): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * `find` brings what is stored for the credential, which the answer names. The counter is for the caller to move on. In a frame of
   * another site the answer names the page at the top, which has to be one of `embedders`.
   */
  verifyAssertion<Known extends KnownCredential>(
    challenge: Uint8Array,
    response: unknown,
    find: (credentialId: string) => Promise<Known | undefined>,
    embedders?: readonly string[],
  ): Promise<Asserted<Known>>;
}

const PAGE_TIMEOUT_MS = 60_000;
/** EdDSA, ES256, RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** Loaded for the first passkey: its 290 files were a tenth of every start. */
const loadLibrary = () => import('@simplewebauthn/server');

/** `relyingParty` is asked each time: the address may be known only when the service listens. */
export function createCeremony(relyingParty: () => RelyingParty): Ceremony {
  return {
    async registrationOptions(challenge, name) {
      const { generateRegistrationOptions } = await loadLibrary();
      return generateRegistrationOptions({
        rpName: name,
        rpID: relyingParty().id,
        userName: name,
        userDisplayName: name,
        // The user's id is left to the library, which draws it: one that is the person's would tell who is enrolled.
        challenge: Uint8Array.from(challenge),
        timeout: PAGE_TIMEOUT_MS,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
    },

    async verifyRegistration(challenge, response) {
      const answer = readRegistration(response);
      if (!answer) return { refused: 'form' };
      const { verifyRegistrationResponse } = await loadLibrary();
      const { id, origins } = relyingParty();
      const verified = await quietly(() =>
        verifyRegistrationResponse({
          response: answer as RegistrationResponseJSON,
          expectedChallenge: textOf(challenge),
          expectedOrigin: origins,
          expectedRPID: id,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        }),
      );
      if (!verified?.verified) return { refused: 'registration' };
      const { credential } = verified.registrationInfo;
      return {
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: answer.response.transports,
      };
    },

    async assertionOptions(challenge) {
      const { generateAuthenticationOptions } = await loadLibrary();
      return generateAuthenticationOptions({
        rpID: relyingParty().id,
        challenge: Uint8Array.from(challenge),
        timeout: PAGE_TIMEOUT_MS,
        userVerification: 'required',
      });
    },

    async verifyAssertion(challenge, response, find, embedders = []) {
      const answer = readAssertion(response);
      if (!answer) return { refused: 'form' };
      const known = await find(answer.id);
      if (!known) return { refused: 'unknown credential' };
      const { verifyAuthenticationResponse } = await loadLibrary();
      const { id, origins } = relyingParty();
      const { credentialId, publicKey, counter } = known;
      const verified = await quietly(() =>
        verifyAuthenticationResponse({
          response: answer as AuthenticationResponseJSON,
          expectedChallenge: textOf(challenge),
          expectedOrigin: origins,
          expectedTopOrigin: [...embedders],
          expectedRPID: id,
          requireUserVerification: true,
          credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter },
        }),
      );
      if (!verified?.verified) return { refused: 'assertion' };
      return { known, counter: verified.authenticationInfo.newCounter };
    },
  };
}

function textOf(challenge: Uint8Array): string {
  return Buffer.from(challenge).toString('base64url');
}

/** The library refuses by throwing, with the answer's own texts in its messages: those go nowhere. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
