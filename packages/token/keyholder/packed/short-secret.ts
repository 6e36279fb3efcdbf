// Secret keys of blocks and folded probes: each coefficient is the difference of two random bits.
//
// Such keys are read directly from random bytes, eight coefficients at a time, whereas uniform
// ternary ones need rejection sampling. With only the 26 bits of q (no special prime is published
// for these ciphertexts), n = 2048 has enough margin: the parameters exceed the row of 256 bits.
import { createCipheriv } from 'node:crypto';
import { NONCE_BYTES } from '../../shared/packed/block.ts';
import { RING_DEGREE } from '../../shared/parameters.ts';

/** Two bits per coefficient. */
export const STREAM_BYTES: number = RING_DEGREE / 4;
const SIGN_BYTES = STREAM_BYTES / 2;
const AES_BYTES = 16;
const COUNTERS = STREAM_BYTES / AES_BYTES;

/** Signed coefficients: bit i of the first half minus bit i of the second. */
export function readShortSecret(stream: Uint8Array): Int32Array {
  const bitAt = (at: number, index: number) => (stream[at + (index >> 3)]! >> (index & 7)) & 1;
  return Int32Array.from({ length: RING_DEGREE }, (_, index) => bitAt(0, index) - bitAt(SIGN_BYTES, index));
}

/**
 * AES-256 over each nonce with a counter: counter mode for many nonces in one call, because a
 * cipher per nonce would take longer than scoring its block. At most `most` at a time.
 */
export function openStreams(key: Uint8Array, most: number) {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const counters = new Uint32Array((most * STREAM_BYTES) / 4);
  for (let index = 0; index < most * COUNTERS; index++) counters[4 * index + 3] = index % COUNTERS;
  const bytes = new Uint8Array(counters.buffer);
  const nonce = new Uint32Array(NONCE_BYTES / 4);
  const nonceBytes = new Uint8Array(nonce.buffer);
  return {
    /** Streams of `count` nonces, `stride` bytes apart. The caller wipes them. */
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
