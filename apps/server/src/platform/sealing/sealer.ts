// Encrypts what must not lie readable in the database, and makes the HMACs it is found by.
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { createXaes, type Xaes } from './xaes-256-gcm.ts';

const VERSION = 1;
const KEY_ID_BYTES = 16;
/** Of an envelope: version and data key. */
export const HEADER_BYTES = 1 + KEY_ID_BYTES;

export interface Sealer extends RowSealer {
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
  /** What an envelope of the key that seals now begins with. */
  header(): Buffer;
  /** What a thread of this very process makes the same sealer from. The keys themselves: for nothing else. */
  keysForThread(): SealerKeys;
}

/** Seals whole rows: HMACs that only whoever has the keys can make, under keys that can be changed. */
export interface RowSealer {
  digestRow(table: string, text: string): Buffer;
  /** Also for one that an earlier key has made, until that is destroyed. Throws where a key may have made it that is not known yet. */
  isDigestOfRow(table: string, text: string, mac: Uint8Array): boolean;
}

export interface SealerKeys {
  /** The first seals, all of them open. */
  sealKeys: readonly SealKey[];
  lookupKey: Uint8Array;
  /** What all of them have sealed holds; which seals, `rowsByLookup` says. None before the first change of the data keys. */
  rowKeys?: readonly SealKey[];
  /** `seals` rows, as it does until the first change; `holds` while that goes on and the first of the row keys seals; then `neither`. */
  rowsByLookup?: 'seals' | 'holds' | 'neither';
}

export interface SealKey {
  /** UUID. */
  id: string;
  key: Uint8Array;
}

/**
 * This process has to look at the keys again: for a value under one that was made after it last looked, which is not damaged and opens
 * soon, and before it seals or judges anything where it has not looked for long.
 */
export class DataKeyUnknown extends Error {
  override readonly name = 'DataKeyUnknown';
}

export interface ChangingSealer {
  sealer: Sealer;
  /** From now on with these. */
  change(keys: SealerKeys): void;
}

/** For one set of keys. */
export function createSealer(keys: SealerKeys): Sealer {
  return createChangingSealer(keys).sealer;
}

/**
 * One that goes on with other keys while it is in use. While `isCurrent` says no, the first of them may have been destroyed, so nothing is
 * sealed; and there may be others, so no row counts as edited because these do not fit.
 */
export function createChangingSealer(first: SealerKeys, isCurrent: () => boolean = () => true): ChangingSealer {
  let keys = prepareKeys(first);
  const refuseUnlessCurrent = () => {
    if (!isCurrent()) throw new DataKeyUnknown('this process has not looked at the data keys for long');
  };
  const digestKeys = new Map<string, KeyObject>();
  const digest = (purpose: string, value: string | Uint8Array) => {
    let key = digestKeys.get(purpose);
    if (!key) {
      key = deriveKey(keys.given.lookupKey, `limen lookup ${purpose}`);
      digestKeys.set(purpose, key);
    }
    return createHmac('sha256', key).update(value).digest();
  };

  const sealer: Sealer = {
    seal(plaintext, place) {
      refuseUnlessCurrent();
      const { header, currentCipher } = keys;
      return Buffer.concat([header, currentCipher.seal(plaintext, boundTo(header, place))]);
    },
    open(envelope, place) {
      if (envelope[0] !== VERSION || envelope.length < HEADER_BYTES) throw new Error('not a sealed value');
      const cipher = cipherOf(keys, envelope);
      if (!cipher) {
        if (isNewer(keys, envelope))
          throw new DataKeyUnknown('sealed with a data key that this process has not learnt yet');
        throw new Error('sealed with a data key that is not there any more');
      }
      return cipher.open(envelope.subarray(HEADER_BYTES), boundTo(envelope.subarray(0, HEADER_BYTES), place));
    },
    header: () => keys.header,
    keysForThread: () => keys.given,
    sealJson: (value, place) => sealer.seal(Buffer.from(JSON.stringify(value)), place),
    openJson: (envelope, place) => JSON.parse(sealer.open(envelope, place).toString()),
    digest,
    digestRow(table, text) {
      refuseUnlessCurrent();
      const [current] = keys.rowKeys;
      return current && keys.rowsByLookup !== 'seals' ? current(table, text) : digest(`rows/${table}`, text);
    },
    isDigestOfRow(table, text, mac) {
      const is = (expected: Buffer) => mac.length === expected.length && timingSafeEqual(mac, expected);
      if (keys.rowsByLookup !== 'neither' && is(digest(`rows/${table}`, text))) return true;
      if (keys.rowKeys.some((digestOf) => is(digestOf(table, text)))) return true;
      refuseUnlessCurrent();
      return false;
    },
  };
  return {
    sealer,
    change(next) {
      keys = prepareKeys(next);
    },
  };
}

type Keys = ReturnType<typeof prepareKeys>;

function prepareKeys(given: SealerKeys) {
  const ciphers = new Map<string, Xaes>(given.sealKeys.map(({ id, key }) => [id, createXaes(key)]));
  const current = given.sealKeys[0];
  const currentCipher = current && ciphers.get(current.id);
  if (!current || !currentCipher) throw new Error('there is no key to seal with');
  const header = Buffer.concat([Buffer.of(VERSION), uuidBytes(current.id)]);
  const { rowKeys = [], rowsByLookup = 'seals' } = given;
  return { given, ciphers, currentCipher, header, rowKeys: rowKeys.map(createRowDigest), rowsByLookup };
}

/** Nearly everything is sealed with the current key; only for the rest is its id spelt out. */
function cipherOf({ header, currentCipher, ciphers }: Keys, envelope: Uint8Array): Xaes | undefined {
  return header.compare(envelope, 0, HEADER_BYTES) === 0
    ? currentCipher
    : ciphers.get(uuidText(envelope.subarray(1, HEADER_BYTES)));
}

/** Than all that are held: ids of data keys say which is newer. */
function isNewer({ given }: Keys, envelope: Uint8Array): boolean {
  const id = uuidText(envelope.subarray(1, HEADER_BYTES));
  return given.sealKeys.every((held) => held.id < id);
}

function createRowDigest({ key }: SealKey): (table: string, text: string) => Buffer {
  const byTable = new Map<string, KeyObject>();
  return (table, text) => {
    let derived = byTable.get(table);
    if (!derived) {
      derived = deriveKey(key, `limen row ${table}`);
      byTable.set(table, derived);
    }
    return createHmac('sha256', derived).update(text).digest();
  };
}

function deriveKey(key: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
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
