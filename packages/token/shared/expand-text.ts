// A uniform polynomial from a text: the same for everybody who has the text, and nobody's choice.
import { Q, Q_BITS, RING_DEGREE } from './parameters.ts';

/** One word in 16,387 is out of range and left out; with this many to spare, enough always remain. */
const WORDS = 2 * RING_DEGREE;

/** AES-256 in counter mode under the SHA-256 of the text, without values of q and more; 0..q-1, in NTT form. */
export async function expandText(text: Uint8Array<ArrayBuffer>): Promise<Int32Array> {
  const seed = await crypto.subtle.digest('SHA-256', text);
  const key = await crypto.subtle.importKey('raw', seed, 'AES-CTR', false, ['encrypt']);
  const counter = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 };
  const words = new DataView(await crypto.subtle.encrypt(counter, key, new Uint8Array(4 * WORDS)));
  const polynomial = new Int32Array(RING_DEGREE);
  let filled = 0;
  for (let word = 0; word < WORDS && filled < RING_DEGREE; word++) {
    const value = words.getUint32(4 * word, true) >>> (32 - Q_BITS);
    if (value < Q) {
      polynomial[filled++] = value;
    }
  }
  if (filled < RING_DEGREE) {
    throw new Error('The draw gave too few values');
  }
  return polynomial;
}
