// Messages that move a body to another key: the masked body in one direction, its first polynomial
// in the other, each with a share of the draw from which both sides derive the second polynomial.
import { BODY_BYTES, Q, Q_BITS, RING_DEGREE } from './parameters.ts';
import { POLYNOMIAL_BYTES } from './polynomial-bytes.ts';

/** One word in 16,387 is out of range. With this many extra words, enough always remain. */
const WORDS = 2 * RING_DEGREE;

/** AES-256 in counter mode under the text's SHA-256; values 0..q-1, in NTT form. */
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
    throw new Error('The draw returned too few values.');
  }
  return polynomial;
}

/** Share drawn by each side. */
export const SHARE_BYTES = 32;
/** To the key-holder: a body, then the evaluator's share. */
export const MASKED_BYTES = BODY_BYTES + SHARE_BYTES;
/** From the key-holder: the first polynomial under the other key, then its share. */
export const REENCRYPTED_BYTES = POLYNOMIAL_BYTES + SHARE_BYTES;

const LABEL = new TextEncoder().encode('limen-second-polynomial-v1\n');

/**
 * Second polynomial of a body under its new key: uniform, and chosen by neither side.
 *
 * A key-holder that chose it could take a short one and use products of rows as probes. An
 * evaluator that chose it would get a multiple of the secret key. The evaluator draws its share
 * before it can know the other, and the key-holder can only try shares until the hash suits it.
 */
export async function drawSecondPolynomial(ofEvaluator: Uint8Array, ofKeyHolder: Uint8Array): Promise<Int32Array> {
  const text = new Uint8Array(LABEL.length + 2 * SHARE_BYTES);
  text.set(LABEL);
  text.set(ofEvaluator, LABEL.length);
  text.set(ofKeyHolder, LABEL.length + SHARE_BYTES);
  return await expandText(text);
}
