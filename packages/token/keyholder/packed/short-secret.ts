// Secret keys of blocks and of folded probes: each coefficient the difference of two random bits.
//
// Such a key can be read from random bytes as they are, eight coefficients at a time, where a uniform one of -1, 0 and 1
// would have to draw again now and then. With q of 26 bits alone (no special prime is published for these ciphertexts)
// n = 2048 has room for that: the parameters are beyond the row of 256 bits.
import { createCipheriv } from 'node:crypto';
import { NONCE_BYTES } from '../../shared/packed/block.ts';
import { RING_DEGREE } from '../../shared/parameters.ts';

/** Two bits a coefficient. */
export const STREAM_BYTES: number = RING_DEGREE / 4;
const SIGN_BYTES = STREAM_BYTES / 2;
const AES_BYTES = 16;
const COUNTERS = STREAM_BYTES / AES_BYTES;

/** Signed coefficients: bit i of the first half, less bit i of the second. */
export function readShortSecret(stream: Uint8Array): Int32Array {
  const bitAt = (at: number, index: number) => (stream[at + (index >> 3)]! >> (index & 7)) & 1;
  return Int32Array.from({ length: RING_DEGREE }, (_, index) => bitAt(0, index) - bitAt(SIGN_BYTES, index));
}

/**
 * AES-256 over each nonce with a counter behind it: counter mode for many nonces in one call, because a cipher for each of
 * them would take longer than scoring its block. At most `most` at a time.
 */
export function openStreams(key: Uint8Array, most: number) {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const counters = new Uint32Array((most * STREAM_BYTES) / 4);
  for (let index = 0; index < most * COUNTERS; index++) counters[4 * index + 3] = index % COUNTERS;
  const bytes = new Uint8Array(counters.buffer);
  const nonce = new Uint32Array(NONCE_BYTES / 4);
  const nonceBytes = new Uint8Array(nonce.buffer);
  return {
    /** Those of `count` nonces, which begin `stride` bytes apart; the caller wipes them. */
    make(nonces: Uint8Array, stride: number, count: number): Uint8Array {
      for (let block = 0, to = 0; block < count; block++) {
        for (let index = 0; index < NONCE_BYTES; index++) nonceBytes[index] = nonces[block * stride + index]!;
        const [first, second, third] = [nonce[0]!, nonce[1]!, nonce[2]!];
        for (let counter = 0; counter < COUNTERS; counter++, to += 4) {
          counters[to] = first;
          counters[to + 1] = second;
          counters[to + 2] = third;
        }
      }
      return cipher.update(bytes.subarray(0, count * STREAM_BYTES));
    },
  };
}
