// Wire format of a public key: 13,633 bytes. SEAL's own smallest form has about 17,300.
import { P, P_BITS, PARAMETER_SET, Q, Q_BITS, RING_DEGREE } from './parameters.ts';
import { CIPHERTEXT_HEAD_BYTES, layOutCiphertext, readWords, type Seal, writeSealHeader, writeWords } from './seal.ts';
import { TokenError } from './token-error.ts';

/** Writes `values` with `width` bits each (at most 27). `bytes` must be zero there. */
function packBits(values: Int32Array, width: number, bytes: Uint8Array, atBit: number) {
  let bit = atBit;
  for (let index = 0; index < values.length; index++, bit += width) {
    const at = bit >>> 3;
    // At most 27 + 7 bits, which a float64 holds but a 32-bit shift would not.
    let rest = values[index]! * 2 ** (bit & 7);
    for (let byte = at; rest > 0; byte++) {
      const low = rest % 256;
      bytes[byte]! |= low;
      rest = (rest - low) / 256;
    }
  }
}

/** Reads values of `width` bits. Returns whether all of them are below `limit`. */
function unpackBits(bytes: Uint8Array, atBit: number, width: number, limit: number, out: Int32Array) {
  const size = 2 ** width;
  let inRange = true;
  let bit = atBit;
  for (let index = 0; index < out.length; index++, bit += width) {
    const at = bit >>> 3;
    const low = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) >>> 0;
    const high = bytes[at + 3]! + (bytes[at + 4] ?? 0) * 256;
    const value = Math.floor((low + high * 2 ** 24) / 2 ** (bit & 7)) % size;
    inRange = inRange && value < limit;
    out[index] = value;
  }
  return inRange;
}

/**
 * A byte with the parameter set, the first polynomial modulo q and modulo P with 26 and 27 bits per
 * coefficient, and the seed from which SEAL expands the second one.
 */
const POLYNOMIALS_AT = 1;
const SEED_AT = POLYNOMIALS_AT + (RING_DEGREE * (Q_BITS + P_BITS)) / 8;
const SEED_BYTES = 64;
export const PUBLIC_KEY_BYTES = SEED_AT + SEED_BYTES;

const WORDS = 2 * RING_DEGREE;
/** After the words, SEAL writes a header, the kind of generator (1: Blake2xb), and the seed. */
const TAIL_BYTES = 16 + 1 + SEED_BYTES;
const BLAKE2XB = 1;

/** `saved` is SEAL's uncompressed form of a seeded public key. */
export function packPublicKey(saved: Uint8Array) {
  if (saved.length !== CIPHERTEXT_HEAD_BYTES + 8 * WORDS + TAIL_BYTES || saved.at(-SEED_BYTES - 1) !== BLAKE2XB) {
    throw new Error('SEAL wrote a public key in an unexpected format.');
  }
  const packed = new Uint8Array(PUBLIC_KEY_BYTES);
  packed[0] = PARAMETER_SET;
  const values = new Int32Array(RING_DEGREE);
  readWords(saved, CIPHERTEXT_HEAD_BYTES, 0, values);
  packBits(values, Q_BITS, packed, 8 * POLYNOMIALS_AT);
  readWords(saved, CIPHERTEXT_HEAD_BYTES, RING_DEGREE, values);
  packBits(values, P_BITS, packed, 8 * POLYNOMIALS_AT + RING_DEGREE * Q_BITS);
  packed.set(saved.subarray(-SEED_BYTES), SEED_AT);
  return packed;
}

/** Restores SEAL's bytes. Throws `TokenError` if the key is invalid. */
export function unpackPublicKey(packed: Uint8Array, { context }: Seal) {
  if (packed.length !== PUBLIC_KEY_BYTES || packed[0] !== PARAMETER_SET) {
    throw new TokenError('key');
  }
  const parmsId = context.keyParmsId();
  const saved = layOutCiphertext(parmsId.values() as BigUint64Array, 2, WORDS, TAIL_BYTES);
  parmsId.delete();
  const values = new Int32Array(RING_DEGREE);
  const lowerInRange = unpackBits(packed, 8 * POLYNOMIALS_AT, Q_BITS, Q, values);
  writeWords(saved, CIPHERTEXT_HEAD_BYTES, 0, values);
  const upperInRange = unpackBits(packed, 8 * POLYNOMIALS_AT + RING_DEGREE * Q_BITS, P_BITS, P, values);
  writeWords(saved, CIPHERTEXT_HEAD_BYTES, RING_DEGREE, values);
  if (!lowerInRange || !upperInRange) {
    throw new TokenError('key');
  }
  const tailAt = CIPHERTEXT_HEAD_BYTES + 8 * WORDS;
  writeSealHeader(saved, tailAt, TAIL_BYTES);
  saved[tailAt + 16] = BLAKE2XB;
  saved.set(packed.subarray(SEED_AT), tailAt + 17);
  return saved;
}
