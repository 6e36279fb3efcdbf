// Encryption version 1 of the biometric node: seals features, and opens puid and guid.
import { decodeBase64url, encodeBase64url } from '../text/base64url.ts';

/** Field of a text. A text sealed for one field does not open for another. */
export type NodeField = 'features' | 'puid' | 'guid';

export interface NodeCipher {
  /**
   * Seals a text, with a different result each time. With the same `repeatKey` the result is
   * deterministic, so that a request can be repeated byte for byte.
   */
  encrypt(field: NodeField, text: string, repeatKey?: string): Promise<string>;
  /** Opens a text. Rejects with a `NodeCipherError` if it is for another field or key. */
  decrypt(field: NodeField, sealed: string): Promise<string>;
}

export type NodeCipherErrorCode = 'malformed' | 'unsupported_version' | 'does_not_open';

/** A sealed text that cannot be opened. Contains neither the text nor the key. */
export class NodeCipherError extends Error {
  override readonly name = 'NodeCipherError';
  readonly code: NodeCipherErrorCode;

  constructor(code: NodeCipherErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const ENCRYPTION_VERSION = 1;
const FIELDS: readonly NodeField[] = ['features', 'puid', 'guid'];
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

/** Seals and opens with an API key. The key is derived on first use and cached. */
export function createNodeCipher(apiKey: string): NodeCipher {
  return createCipherWithNonces(apiKey, () => crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

/** For test vectors only: reusing a nonce with the same key reveals the texts. */
export function createCipherWithNonces(apiKey: string, drawNonce: () => Uint8Array<ArrayBuffer>): NodeCipher {
  if (typeof apiKey !== 'string' || apiKey === '') throw new TypeError('apiKey must be the API key, as text');
  let derived: ReturnType<typeof deriveKey> | undefined;
  const keyOf = () => {
    derived ??= deriveKey(apiKey);
    return derived;
  };

  return {
    async encrypt(field, text, repeatKey) {
      if (typeof text !== 'string') throw new TypeError('only text can be encrypted');
      if (!FIELDS.includes(field)) throw new TypeError('field must be features, puid or guid');
      const key = await keyOf();
      const nonce = repeatKey === undefined ? drawNonce() : await deriveNonce(apiKey, [repeatKey, field, text]);
      const sealed = await crypto.subtle.encrypt(parametersOf(nonce, field), key, toBytes(text));
      const message = new Uint8Array(HEADER_BYTES + sealed.byteLength);
      message[0] = ENCRYPTION_VERSION;
      message.set(nonce, 1);
      message.set(new Uint8Array(sealed), HEADER_BYTES);
      return encodeBase64url(message);
    },
    async decrypt(field, sealed) {
      const message = readMessage(sealed);
      const key = await keyOf();
      const parameters = parametersOf(message.subarray(1, HEADER_BYTES), field);
      const opened = await crypto.subtle.decrypt(parameters, key, message.subarray(HEADER_BYTES)).catch(() => {
        throw new NodeCipherError(
          'does_not_open',
          `The text does not open as ${field}: it was sealed with another API key or for another field, or was modified.`,
        );
      });
      return toText(opened);
    },
  };
}

const DERIVATION = { name: 'HKDF', hash: 'SHA-256', salt: toBytes('limen-node') };

async function importSecret(apiKey: string) {
  // Browsers omit it on pages without https.
  if (!globalThis.crypto?.subtle)
    throw new TypeError('Encryption needs WebCrypto, which browsers offer on https pages only.');
  return crypto.subtle.importKey('raw', toBytes(apiKey), 'HKDF', false, ['deriveKey']);
}

async function deriveKey(apiKey: string) {
  const secret = await importSecret(apiKey);
  return crypto.subtle.deriveKey(
    { ...DERIVATION, info: toBytes('v1') },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

/** Derives the nonce from the text, as SIV modes do, so that only equal texts share a nonce. */
async function deriveNonce(apiKey: string, parts: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const secret = await importSecret(apiKey);
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const key = await crypto.subtle.deriveKey({ ...DERIVATION, info: toBytes('v1 nonce') }, secret, hmac, false, [
    'sign',
  ]);
  const mac = await crypto.subtle.sign('HMAC', key, toBytes(JSON.stringify(parts)));
  return new Uint8Array(mac).slice(0, NONCE_BYTES);
}

function parametersOf(nonce: Uint8Array<ArrayBuffer>, field: NodeField) {
  return { name: 'AES-GCM', iv: nonce, additionalData: toBytes(field), tagLength: TAG_BYTES * 8 };
}

function readMessage(sealed: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof sealed === 'string' ? decodeBase64url(sealed) : undefined;
  if (!bytes) throw new NodeCipherError('malformed', 'A sealed text must be base64url without padding or spaces.');
  if (bytes.length > 0 && bytes[0] !== ENCRYPTION_VERSION) {
    throw new NodeCipherError(
      'unsupported_version',
      `The text does not have encryption version ${ENCRYPTION_VERSION}.`,
    );
  }
  if (bytes.length < HEADER_BYTES + TAG_BYTES) {
    throw new NodeCipherError('malformed', `A sealed text has at least ${HEADER_BYTES + TAG_BYTES} bytes.`);
  }
  return bytes;
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function toText(bytes: ArrayBuffer): string {
  try {
    // A byte order mark is an ordinary character here.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NodeCipherError('malformed', 'The text opens but is not UTF-8.');
  }
}
