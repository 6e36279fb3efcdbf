// Runs WebAuthn ceremonies: options for a browser, and verification of its response. Callers choose the challenge.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RelyingParty } from './relying-party.ts';

/** Credential that is not stored yet, as plain JSON. */
export interface NewCredential {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
}

interface KnownCredential {
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
}

type CeremonyRefusal = 'form' | 'unknown credential' | 'registration' | 'assertion';

const PAGE_TIMEOUT_MS = 60_000;
/** EdDSA, ES256 and RS256, which authenticators have. */
const ALGORITHMS = [-8, -7, -257];
/** Limit of an id: 1,023 bytes (WebAuthn 3, 6.5.1). */
const MAX_ID_CHARACTERS = 1_364;
/** Limit of the largest responses, attestations with certificates, which take a few kilobytes. */
const MAX_FIELD_CHARACTERS = 16_384;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const TRANSPORT = /^[a-z-]{1,32}$/;
const MAX_TRANSPORTS = 8;

/** Loaded for the first passkey, because its 290 files take a tenth of a start. */
const loadLibrary = () => import('@simplewebauthn/server');

/** Drops the library's errors, whose messages contain texts of the response and must not be logged. */
const ignoreMessage = () => undefined;

export type Ceremony = ReturnType<typeof createCeremony>;

/** `relyingParty` is called each time, because the address may be known only once the service listens. */
export function createCeremony(relyingParty: () => RelyingParty) {
  return {
    /** Browsers list the passkey under `name`. The library draws a random user id, which reveals no one. */
    async registrationOptions(challenge: Uint8Array, name: string) {
      const { generateRegistrationOptions } = await loadLibrary();
      return generateRegistrationOptions({
        rpName: name,
        rpID: relyingParty().id,
        userName: name,
        userDisplayName: name,
        challenge: Uint8Array.from(challenge),
        timeout: PAGE_TIMEOUT_MS,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
    },

    async verifyRegistration(
      challenge: Uint8Array,
      rawCredential: unknown,
    ): Promise<NewCredential | { refused: CeremonyRefusal }> {
      const response = readResponse(rawCredential, ['clientDataJSON', 'attestationObject']);
      if (!response) return { refused: 'form' };
      const { verifyRegistrationResponse } = await loadLibrary();
      const verified = await verifyRegistrationResponse({
        ...expectations(challenge),
        response: response as RegistrationResponseJSON,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(ignoreMessage);
      if (!verified?.verified) return { refused: 'registration' };
      const { credential } = verified.registrationInfo;
      return {
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: readTransports(rawCredential),
      };
    },

    async assertionOptions(challenge: Uint8Array) {
      const { generateAuthenticationOptions } = await loadLibrary();
      return generateAuthenticationOptions({
        rpID: relyingParty().id,
        challenge: Uint8Array.from(challenge),
        timeout: PAGE_TIMEOUT_MS,
        userVerification: 'required',
      });
    },

    /** `find` returns the stored credential; the caller must store its counter. In a frame, the top page must be one of `embedders`. */
    async verifyAssertion<Known extends KnownCredential>(
      challenge: Uint8Array,
      rawCredential: unknown,
      find: (credentialId: string) => Promise<Known | undefined>,
      embedders: readonly string[] = [],
    ): Promise<{ known: Known; counter: number } | { refused: CeremonyRefusal }> {
      const response = readResponse(rawCredential, ['clientDataJSON', 'authenticatorData', 'signature']);
      if (!response) return { refused: 'form' };
      const known = await find(response.id);
      if (!known) return { refused: 'unknown credential' };
      const { verifyAuthenticationResponse } = await loadLibrary();
      const { credentialId, publicKey, counter } = known;
      const verified = await verifyAuthenticationResponse({
        ...expectations(challenge),
        response: response as AuthenticationResponseJSON,
        expectedTopOrigin: [...embedders],
        credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter },
      }).catch(ignoreMessage);
      if (!verified?.verified) return { refused: 'assertion' };
      return { known, counter: verified.authenticationInfo.newCounter };
    },
  };

  function expectations(challenge: Uint8Array) {
    const { id, origins } = relyingParty();
    return {
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: true,
    };
  }
}

/** Reads only the named fields. Returns undefined if one is missing or malformed. */
function readResponse<Field extends string>(rawCredential: unknown, fields: readonly Field[]) {
  const id = readField(rawCredential, 'id', MAX_ID_CHARACTERS);
  if (id === undefined || readField(rawCredential, 'rawId', MAX_ID_CHARACTERS) !== id) return undefined;
  const { type, response } = rawCredential as { type?: unknown; response?: unknown };
  const values = fields.flatMap((field) => readField(response, field) ?? []);
  if (type !== 'public-key' || values.length < fields.length) return undefined;
  const read = Object.fromEntries(fields.map((field, at) => [field, values[at]])) as Record<Field, string>;
  return { id, rawId: id, type, clientExtensionResults: {}, response: read };
}

function readField(value: unknown, name: string, maxCharacters = MAX_FIELD_CHARACTERS): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const field: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  return typeof field === 'string' && field.length <= maxCharacters && BASE64URL.test(field) ? field : undefined;
}

/** Transports are hints for the browser, so wrong ones are left out. */
function readTransports(rawCredential: unknown): string[] {
  const { transports } = (rawCredential as { response: { transports?: unknown } }).response;
  if (!Array.isArray(transports)) return [];
  return transports
    .slice(0, MAX_TRANSPORTS)
    .filter((transport): transport is string => typeof transport === 'string' && TRANSPORT.test(transport));
}
