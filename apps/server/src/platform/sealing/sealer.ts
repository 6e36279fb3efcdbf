// Encrypts what must not lie readable in the database, and makes the HMACs it is found by.
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { createXaes, type Xaes } from './xaes-256-gcm.ts';

const VERSION = 1;
const KEY_ID_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;

export interface Sealer {
  /**
   * Envelope: version ‖ id of the data key ‖ nonce ‖ ciphertext ‖ tag. `place` says where the value lives, as
   * `table/column/row id`; an envelope copied to another row does not open there.
   */
  seal(plaintext: Uint8Array, place: string): Buffer;
  open(envelope: Uint8Array, place: string): Buffer;
  sealJson(value: unknown, place: string): Buffer;
  openJson(envelope: Uint8Array, place: string): unknown;
  /** HMAC-SHA256 for look-ups; different purposes give unrelated digests. Stable for the life of the database. */
  digest(purpose: string, value: string | Uint8Array): Buffer;
  /** What a thread of this very process makes the same sealer from. The keys themselves: for nothing else. */
  keysForThread(): SealerKeys;
}

export interface SealerKeys {
  /** Newest first: the first seals, all of them open. */
  sealKeys: readonly SealKey[];
  lookupKey: Uint8Array;
}

export interface SealKey {
  /** UUID. */
  id: string;
  key: Uint8Array;
}

export function createSealer({ sealKeys, lookupKey }: SealerKeys): Sealer {
  const ciphers = new Map<string, Xaes>(sealKeys.map(({ id, key }) => [id, createXaes(key)]));
  const current = sealKeys[0];
  const currentCipher = current && ciphers.get(current.id);
  if (!current || !currentCipher) throw new Error('there is no key to seal with');
  const header = Buffer.concat([Buffer.of(VERSION), uuidBytes(current.id)]);
  /** Nearly everything is sealed with the current key; only for the rest is its id spelt out. */
  const cipherOf = (envelope: Uint8Array) =>
    header.compare(envelope, 0, HEADER_BYTES) === 0
      ? currentCipher
      : ciphers.get(uuidText(envelope.subarray(1, HEADER_BYTES)));
  const digestKeys = new Map<string, KeyObject>();

  const sealer: Sealer = {
    seal: (plaintext, place) => Buffer.concat([header, currentCipher.seal(plaintext, boundTo(header, place))]),
    open(envelope, place) {
      if (envelope[0] !== VERSION || envelope.length < HEADER_BYTES) throw new Error('not a sealed value');
      const cipher = cipherOf(envelope);
      if (!cipher) throw new Error('sealed with a data key that this database does not hold');
      return cipher.open(envelope.subarray(HEADER_BYTES), boundTo(envelope.subarray(0, HEADER_BYTES), place));
    },
    keysForThread: () => ({ sealKeys, lookupKey }),
    sealJson: (value, place) => sealer.seal(Buffer.from(JSON.stringify(value)), place),
    openJson: (envelope, place) => JSON.parse(sealer.open(envelope, place).toString()),
    digest(purpose, value) {
      let key = digestKeys.get(purpose);
      if (!key) {
        key = createSecretKey(Buffer.from(hkdfSync('sha256', lookupKey, '', `limen lookup ${purpose}`, 32)));
        digestKeys.set(purpose, key);
      }
      return createHmac('sha256', key).update(value).digest();
    },
  };
  return sealer;
}

function boundTo(header: Uint8Array, place: string): Buffer {
  return Buffer.concat([header, Buffer.from(place)]);
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
