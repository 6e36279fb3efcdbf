// XAES-256-GCM (C2SP): AES-256-GCM with a 24-byte random nonce.
// Plain AES-GCM with random 12-byte nonces is good for 2^32 messages per key. Here half of the nonce derives the AES key
// that the other half is used with, so that one stored key is good for far more and no counter has to survive a crash.
//
// The specification draws both halves anew for each message. We keep the first for up to 65,536 messages of one process:
// the chance that two of them share the second is 2^-65, and a derived key that is at hand saves a third of the work.
//
// Keys are handed over as KeyObjects: with plain bytes Node 24 takes 30 µs longer to make a cipher, ten times what the rest
// of a small message costs.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const HALF = NONCE_BYTES / 2;
const MESSAGES_PER_KEY = 65_536;
const MAX_KNOWN_KEYS = 256;
/** To ask for random bytes costs the same for one nonce and for many. */
const NONCES_DRAWN = 128;

export interface Xaes {
  /** nonce ‖ ciphertext ‖ tag */
  seal(plaintext: Uint8Array, associatedData: Uint8Array): Buffer;
  /** Throws when the key, the bytes or the associated data are not the sealed ones. */
  open(sealed: Uint8Array, associatedData: Uint8Array): Buffer;
}

export function createXaes(key: Uint8Array, nonceSource: () => Uint8Array = createNonceSource()): Xaes {
  if (key.length !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
  const encryptBlocks = createBlockCipher(key);
  const subkey = cmacSubkey(encryptBlocks);
  const known = new Map<string, KeyObject>();
  const messageKeyOf = (nonce: Uint8Array) => {
    const half = Buffer.from(nonce.buffer, nonce.byteOffset, HALF).toString('latin1');
    let found = known.get(half);
    if (!found) {
      if (known.size >= MAX_KNOWN_KEYS) known.clear();
      found = messageKey(encryptBlocks, subkey, nonce);
      known.set(half, found);
    }
    return found;
  };
  return {
    seal(plaintext, associatedData) {
      const nonce = nonceSource();
      const cipher = createCipheriv('aes-256-gcm', messageKeyOf(nonce), nonce.subarray(HALF));
      cipher.setAAD(associatedData);
      return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, associatedData) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('too short to be sealed');
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tagAt = sealed.length - TAG_BYTES;
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv('aes-256-gcm', messageKeyOf(nonce), nonce.subarray(HALF), options);
      decipher.setAAD(associatedData);
      decipher.setAuthTag(sealed.subarray(tagAt));
      const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
      decipher.final(); // checks the tag; GCM keeps no bytes back
      return plaintext;
    },
  };
}

/** Random, with a first half that stays for a while. The bytes are drawn for many at once, and each is used for one only. */
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

/** Two CMAC blocks over the first half of the nonce, as NIST SP 800-108r1 in counter mode lays them out. */
function messageKey(encryptBlocks: BlockCipher, subkey: Buffer, nonce: Uint8Array): KeyObject {
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

/** K1 of CMAC (NIST SP 800-38B, 6.1): the encrypted zero block, doubled in GF(2^128). */
function cmacSubkey(encryptBlocks: BlockCipher): Buffer {
  const block = encryptBlocks(Buffer.alloc(16));
  const doubled = Buffer.alloc(16);
  for (let i = 0; i < 16; i++) doubled[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >>> 7);
  if (block[0]! & 0x80) doubled[15]! ^= 0x87;
  return doubled;
}

type BlockCipher = (blocks: Uint8Array) => Buffer;

/** ECB has no state between blocks, so one cipher serves every message. */
function createBlockCipher(key: Uint8Array): BlockCipher {
  const cipher = createCipheriv('aes-256-ecb', createSecretKey(key), null);
  cipher.setAutoPadding(false);
  return (blocks) => cipher.update(blocks);
}
