// HPKE (RFC 9180): base mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-GCM, one message. Uses
// Node's ciphers, because libraries over Web Crypto spend ten times as long on key handling as on
// the work.
import { createDecipheriv, createHmac, createSecretKey, diffieHellman, type KeyObject } from 'node:crypto';
import { readPoint } from './keys.ts';

export interface HpkeContext {
  aead: keyof typeof AEADS;
  privateKey: KeyObject;
  /** Its public key, as an uncompressed point. */
  publicPoint: Uint8Array;
  /** The sender's ephemeral key, as received. */
  enc: Uint8Array;
  info: Uint8Array;
  associatedData: Uint8Array;
}

const KEM_ID = 0x0010;
const KDF_ID = 0x0001;
const KEM_SUITE = Buffer.from([...Buffer.from('KEM'), KEM_ID >> 8, KEM_ID]);
const VERSION = Buffer.from('HPKE-v1');
const NOTHING = Buffer.alloc(0);
const MODE_BASE = 0;
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const AEADS = { 'aes-128-gcm': describeAead(0x0001, 16), 'aes-256-gcm': describeAead(0x0002, 32) } as const;

interface Aead {
  suite: Buffer;
  keyBytes: number;
  /** Equal for all messages. */
  pskIdHash: Buffer;
}

function describeAead(id: number, keyBytes: number): Aead {
  const ids = [KEM_ID, KDF_ID, id].flatMap((suiteId) => [suiteId >> 8, suiteId & 0xff]);
  const suite = Buffer.from([...Buffer.from('HPKE'), ...ids]);
  return { suite, keyBytes, pskIdHash: extract(suite, NOTHING, 'psk_id_hash', NOTHING) };
}

/** RFC 9180, 6.1: `OpenBase`. Returns null unless sealed to this key in this context. */
export function openHpke(context: HpkeContext, sealed: Uint8Array): Buffer | null {
  const ephemeral = readPoint(context.enc);
  if (!ephemeral || sealed.length < TAG_BYTES) return null;
  const { key, nonce } = scheduleKey(AEADS[context.aead], decapsulate(context, ephemeral), context.info);
  const decipher = createDecipheriv(context.aead, createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context.associatedData);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const opened = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return opened;
}

/** 4.1: `Decap`. */
function decapsulate({ privateKey, publicPoint, enc }: HpkeContext, publicKey: KeyObject): Buffer {
  const shared = diffieHellman({ privateKey, publicKey });
  const extracted = extract(KEM_SUITE, NOTHING, 'eae_prk', shared);
  return expand(KEM_SUITE, extracted, 'shared_secret', [enc, publicPoint], SECRET_BYTES);
}

/** 5.1: `KeySchedule`, without a pre-shared key, for the first message (5.2). */
function scheduleKey(
  { suite, keyBytes, pskIdHash }: Aead,
  sharedSecret: Buffer,
  info: Uint8Array,
): { key: Buffer; nonce: Buffer } {
  const context = [Buffer.of(MODE_BASE), pskIdHash, extract(suite, NOTHING, 'info_hash', info)];
  const secret = extract(suite, sharedSecret, 'secret', NOTHING);
  return {
    key: expand(suite, secret, 'key', context, keyBytes),
    nonce: expand(suite, secret, 'base_nonce', context, NONCE_BYTES),
  };
}

/** 4: `LabeledExtract`. */
function extract(suite: Buffer, salt: Buffer, label: string, input: Uint8Array): Buffer {
  return authenticate(salt, [VERSION, suite, Buffer.from(label), input]);
}

/** 4: `LabeledExpand`, for at most one block (RFC 5869, 2.3). */
function expand(suite: Buffer, key: Buffer, label: string, info: readonly Uint8Array[], length: number): Buffer {
  const parts = [Buffer.of(0, length), VERSION, suite, Buffer.from(label), ...info, Buffer.of(1)];
  return authenticate(key, parts).subarray(0, length);
}

/** Uses a key object, because Node detects plain bytes by a slow exception. */
function authenticate(key: Buffer, parts: readonly Uint8Array[]): Buffer {
  return createHmac('sha256', createSecretKey(key)).update(Buffer.concat(parts)).digest();
}
