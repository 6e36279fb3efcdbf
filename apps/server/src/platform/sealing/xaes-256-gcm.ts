// XAES-256-GCM (C2SP): AES-256-GCM with a 24-byte random nonce.
// Plain AES-GCM with random 12-byte nonces is safe for 2^32 messages per key. Here, half of the nonce derives the AES key for the other
// half, so that one stored key is safe for far more messages and no counter has to survive a crash.
//
// The specification draws both halves for each message. We keep the first half for up to 65,536 messages of one process: the chance that
// two of them share the second half is 2^-65, and a cached key saves a third of the work.
//
// Keys are passed as KeyObjects, because Node 24 takes 30 µs longer with plain bytes, ten times the rest of a small message.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const HALF = NONCE_BYTES / 2;
const MESSAGES_PER_KEY = 65_536;
const MAX_KNOWN_KEYS = 256;
/** Random bytes cost the same for one nonce and for many. */
const NONCES_DRAWN = 128;

export function createXaes(key: Uint8Array, nonceSource: () => Uint8Array = createNonceSource()) {
  if (key.length !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
  // ECB has no state between blocks, so one cipher serves every message.
  const blockCipher = createCipheriv('aes-256-ecb', createSecretKey(key), null).setAutoPadding(false);
  const encryptBlocks: EncryptBlocks = (blocks) => blockCipher.update(blocks);
  const subkey = cmacSubkey(encryptBlocks);
  const known = new Map<string, KeyObject>();
  const messageKeyOf = (nonce: Uint8Array) => {
    const half = Buffer.from(nonce.buffer, nonce.byteOffset, HALF).toString('latin1');
    let derived = known.get(half);
    if (!derived) {
      if (known.size >= MAX_KNOWN_KEYS) known.clear();
      derived = messageKey(encryptBlocks, subkey, nonce);
      known.set(half, derived);
    }
    return derived;
  };
  return {
    /** Returns nonce ‖ ciphertext ‖ tag. */
    seal(plaintext: Uint8Array, associatedData: Uint8Array): Buffer {
      const nonce = nonceSource();
      const cipher = createCipheriv('aes-256-gcm', messageKeyOf(nonce), nonce.subarray(HALF));
      cipher.setAAD(associatedData);
      return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },
    /** Throws unless key, bytes and associated data are the sealed ones. */
    open(sealed: Uint8Array, associatedData: Uint8Array): Buffer {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('too short to be sealed');
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tagAt = sealed.length - TAG_BYTES;
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv('aes-256-gcm', messageKeyOf(nonce), nonce.subarray(HALF), options);
      decipher.setAAD(associatedData);
      decipher.setAuthTag(sealed.subarray(tagAt));
      const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
      decipher.final(); // checks the tag
      return plaintext;
    },
  };
}

/** Returns a source of random nonces that keep their first half for a while. */
function createNonceSource(): () => Uint8Array {
  let drawn = Buffer.alloc(0);
  let used = 0;
  let first: Uint8Array | undefined;
  let left = 0;
  return () => {
    if (used + NONCE_BYTES > drawn.length) {
      drawn = randomBytes(NONCES_DRAWN * NONCE_BYTES);
      used = 0;
    }
    const nonce = Uint8Array.prototype.slice.call(drawn, used, used + NONCE_BYTES);
    used += NONCE_BYTES;
    if (!first || left === 0) {
      first = Uint8Array.from(nonce.subarray(0, HALF));
      left = MESSAGES_PER_KEY;
    } else nonce.set(first);
    left -= 1;
    return nonce;
  };
}

type EncryptBlocks = (blocks: Uint8Array) => Buffer;

/** Derives a key from two CMAC blocks over the first half of the nonce (NIST SP 800-108r1, counter mode). */
function messageKey(encryptBlocks: EncryptBlocks, subkey: Buffer, nonce: Uint8Array): KeyObject {
  const blocks = Buffer.alloc(32);
  for (const counter of [1, 2]) {
    const block = blocks.subarray((counter - 1) * 16);
    block[1] = counter;
    block[2] = 0x58; // "X"
    block.set(nonce.subarray(0, HALF), 4);
    for (let i = 0; i < 16; i++) block[i]! ^= subkey[i]!;
  }
  return createSecretKey(encryptBlocks(blocks));
}

/** Returns K1 of CMAC (NIST SP 800-38B, 6.1): the encrypted zero block, doubled in GF(2^128). */
function cmacSubkey(encryptBlocks: EncryptBlocks): Buffer {
  const block = encryptBlocks(Buffer.alloc(16));
  const doubled = Buffer.alloc(16);
  for (let i = 0; i < 16; i++) doubled[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >>> 7);
  if (block[0]! & 0x80) doubled[15]! ^= 0x87;
  return doubled;
}
