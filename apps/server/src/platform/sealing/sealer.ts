// Encrypts values that must not be readable in the database, and makes the HMACs that find them.
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { createXaes } from './xaes-256-gcm.ts';

const VERSION = 1;
export const HEADER_BYTES = 17;

export interface SealerKeys {
  /** The first one seals, all of them open. */
  sealKeys: readonly SealKey[];
  lookupKey: Uint8Array;
  /** Keys of row seals. There are none before the first change of the data keys. */
  rowKeys?: readonly SealKey[];
  /** Role of the look-up key for rows: it `seals` them until the first change, then only verifies (`holds`), then `neither`. */
  rowsByLookup?: 'seals' | 'holds' | 'neither';
}

interface SealKey {
  /** UUID. Ids sort by age. */
  id: string;
  key: Uint8Array;
}

/**
 * This process must load the data keys again: a key is newer, or they were not loaded for too long
 * to seal or verify.
 */
export class UnknownDataKeyError extends Error {
  override readonly name = 'UnknownDataKeyError';
}

export type Sealer = ReturnType<typeof createSealer>;
/** Seals whole rows: HMACs under keys that can be changed. */
export type RowSealer = Pick<Sealer, 'digestRow' | 'isDigestOfRow'>;

export function createSealer(keys: SealerKeys) {
  return createChangingSealer(keys).sealer;
}

/**
 * Creates a sealer whose keys can change. While `isCurrent` returns false, the sealing key may have been destroyed, so nothing is sealed.
 * There may also be newer keys, so no row counts as edited.
 */
export function createChangingSealer(first: SealerKeys, isCurrent: () => boolean = () => true) {
  let keys = prepareKeys(first);
  const digest = createDigest(first.lookupKey, 'limen lookup');
  const refuseUnlessCurrent = () => {
    if (!isCurrent()) throw new UnknownDataKeyError('this process has not loaded the data keys for too long');
  };
  const seal = (plaintext: Uint8Array, place: string): Buffer => {
    refuseUnlessCurrent();
    const { header, cipher } = keys.current;
    return Buffer.concat([header, cipher.seal(plaintext, bindTo(header, place))]);
  };
  const open = (envelope: Uint8Array, place: string): Buffer => {
    if (envelope[0] !== VERSION || envelope.length < HEADER_BYTES) throw new Error('not a sealed value');
    const header = envelope.subarray(0, HEADER_BYTES);
    const name = Buffer.from(header).toString('hex');
    const cipher = keys.ciphers.get(name);
    if (cipher) return cipher.open(envelope.subarray(HEADER_BYTES), bindTo(header, place));
    const isNewer = [...keys.ciphers.keys()].every((known) => known < name);
    if (isNewer) throw new UnknownDataKeyError('sealed with a data key that this process has not loaded yet');
    throw new Error('sealed with a destroyed data key');
  };

  const sealer = {
    /** Returns version ‖ id of the data key ‖ nonce ‖ ciphertext ‖ tag. It opens only with the same `place`: `table/column/row id`. */
    seal,
    open,
    sealJson: (value: unknown, place: string) => seal(Buffer.from(JSON.stringify(value)), place),
    openJson: (envelope: Uint8Array, place: string): unknown => JSON.parse(open(envelope, place).toString()),
    /** Returns an HMAC-SHA256 for look-ups, stable for the life of the database. Purposes have unrelated digests. */
    digest,
    /** Returns the start of the envelopes that are sealed now. */
    header: () => keys.current.header,
    /** Returns the keys themselves, only for the same sealer in a thread of this process. */
    keysForThread: () => keys.sources,
    digestRow(table: string, text: string): Buffer {
      refuseUnlessCurrent();
      const [current] = keys.rowDigests;
      return current && keys.rowsByLookup !== 'seals' ? current(table, text) : digest(`rows/${table}`, text);
    },
    /** Accepts earlier keys until they are destroyed. Throws if a newer key may have made the digest. */
    isDigestOfRow(table: string, text: string, mac: Uint8Array): boolean {
      const is = (expected: Buffer) => mac.length === expected.length && timingSafeEqual(mac, expected);
      if (keys.rowsByLookup !== 'neither' && is(digest(`rows/${table}`, text))) return true;
      if (keys.rowDigests.some((digestRow) => is(digestRow(table, text)))) return true;
      refuseUnlessCurrent();
      return false;
    },
  };
  return {
    sealer,
    change(next: SealerKeys): void {
      keys = prepareKeys(next);
    },
  };
}

function prepareKeys(sources: SealerKeys) {
  const all = sources.sealKeys.map(({ id, key }) => ({
    header: Buffer.concat([Buffer.of(VERSION), Buffer.from(id.replaceAll('-', ''), 'hex')]),
    cipher: createXaes(key),
  }));
  const [current] = all;
  if (!current) throw new Error('there is no key to seal with');
  const ciphers = new Map(all.map(({ header, cipher }) => [header.toString('hex'), cipher]));
  const { rowKeys = [], rowsByLookup = 'seals' } = sources;
  return {
    sources,
    current,
    ciphers,
    rowDigests: rowKeys.map(({ key }) => createDigest(key, 'limen row')),
    rowsByLookup,
  };
}

/** Returns an HMAC function with a derived key for each purpose. */
function createDigest(key: Uint8Array, label: string) {
  const derivedKeys = new Map<string, KeyObject>();
  return (purpose: string, value: string | Uint8Array): Buffer => {
    let derived = derivedKeys.get(purpose);
    if (!derived) {
      derived = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `${label} ${purpose}`, 32)));
      derivedKeys.set(purpose, derived);
    }
    return createHmac('sha256', derived).update(value).digest();
  };
}

function bindTo(header: Uint8Array, place: string): Buffer {
  return Buffer.concat([header, Buffer.from(place)]);
}
