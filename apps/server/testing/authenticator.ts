// A software authenticator that creates passkeys and signs with them, correctly or as a test
// demands.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

interface Credential {
  id: Buffer;
  privateKey: KeyObject;
  /** Public key in COSE format */
  publicKey: Buffer;
  userHandle: string;
  counter: number;
}

/** Deviations that a test can request. */
export interface AuthenticatorFaults {
  origin?: string;
  rpId?: string;
  userVerified?: boolean;
  /** Challenge instead of the one in the options */
  challenge?: string;
  /** Sign counter, regardless of the previous one */
  counter?: number;
  /** Origin of the page around the requesting frame */
  topOrigin?: string;
}

export interface Authenticator {
  create(options: PublicKeyCredentialCreationOptionsJSON, wrong?: AuthenticatorFaults): RegistrationResponseJSON;
  get(options: PublicKeyCredentialRequestOptionsJSON, wrong?: AuthenticatorFaults): AuthenticationResponseJSON;
  /** Returns another device with the same secret and counter. */
  clone(): Authenticator;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const AAGUID = Buffer.alloc(16);

/** `counts` is false for synced passkeys, whose counter is always zero. */
export function createAuthenticator(origin: string, { counts = true } = {}, known?: Credential): Authenticator {
  let credential = known;
  return {
    create({ rp, user, challenge }, wrong = {}) {
      credential = makeCredential(user.id);
      const authData = encodeAuthenticatorData(
        wrong.rpId ?? rp.id!,
        credential.counter,
        wrong,
        encodeAttestedCredential(credential),
      );
      const object = encodeMap([
        ['fmt', encodeText('none')],
        ['attStmt', encodeMap([])],
        ['authData', encodeBytes(authData)],
      ]);
      const clientDataJSON = clientData('webauthn.create', wrong.challenge ?? challenge, {
        origin: wrong.origin ?? origin,
      });
      const id = credential.id.toString('base64url');
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: object.toString('base64url'),
          transports: ['internal'],
        },
      };
    },

    get({ rpId, challenge }, wrong = {}) {
      if (!credential) throw new Error('there is no passkey');
      if (counts) credential.counter += 1;
      const authData = encodeAuthenticatorData(wrong.rpId ?? rpId!, wrong.counter ?? credential.counter, wrong);
      const from = { origin: wrong.origin ?? origin, topOrigin: wrong.topOrigin };
      const clientDataJSON = clientData('webauthn.get', wrong.challenge ?? challenge, from);
      const signed = Buffer.concat([authData, sha256(clientDataJSON)]);
      const id = credential.id.toString('base64url');
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign('sha256', signed, credential.privateKey).toString('base64url'),
          userHandle: credential.userHandle,
        },
      };
    },

    clone: () => createAuthenticator(origin, { counts }, credential && { ...credential }),
  };
}

function makeCredential(userHandle: string): Credential {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  // COSE_Key: EC2, ES256, P-256 (RFC 9053, 7.1.1).
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x!, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y!, 'base64url'),
  ]);
  return { id: randomBytes(32), privateKey, publicKey: cose, userHandle, counter: 0 };
}

/** Returns the authenticator data (WebAuthn 3, 6.1). */
function encodeAuthenticatorData(
  rpId: string,
  counter: number,
  { userVerified = true }: AuthenticatorFaults,
  credential?: Buffer,
): Buffer {
  const flags = PRESENT | (userVerified ? VERIFIED : 0) | (credential ? HAS_CREDENTIAL : 0);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(rpId), Buffer.of(flags), count, credential ?? Buffer.alloc(0)]);
}

function encodeAttestedCredential({ id, publicKey }: Credential): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  return Buffer.concat([AAGUID, length, id, publicKey]);
}

/**
 * Returns client data as browsers write it, with the top page's origin for a cross-origin frame.
 */
function clientData(type: string, challenge: string, from: { origin: string; topOrigin?: string | undefined }): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, ...from, crossOrigin: from.topOrigin !== undefined }));
}

function encodeMap(entries: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([
    Buffer.of(0xa0 | entries.length),
    ...entries.flatMap(([key, value]) => [encodeText(key), value]),
  ]);
}

/** Encodes a text shorter than 24 bytes as CBOR. */
function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 | text.length), Buffer.from(text)]);
}

function encodeBytes(bytes: Buffer): Buffer {
  const head = Buffer.of(0x59, 0, 0);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
