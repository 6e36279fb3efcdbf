// What travels when a body is moved to another key: the masked body one way, its first polynomial back, and with each a
// share of the draw from which both sides make the second polynomial.
import { expandText } from './expand-text.ts';
import { BODY_BYTES } from './parameters.ts';
import { POLYNOMIAL_BYTES } from './polynomial-bytes.ts';

/** What each side draws. */
export const SHARE_BYTES = 32;
/** To the key-holder: a body, then the evaluator's share. */
export const MASKED_BYTES = BODY_BYTES + SHARE_BYTES;
/** And back: the first polynomial under the other key, then the key-holder's share. */
export const REENCRYPTED_BYTES = POLYNOMIAL_BYTES + SHARE_BYTES;

const LABEL = new TextEncoder().encode('limen-second-polynomial-v1\n');

/**
 * The second polynomial of a body under its new key: uniform, and chosen by neither side.
 *
 * A key-holder that chose it could take a short one, and the products of rows with it would be probes. An evaluator that chose
 * it would have a multiple of the secret key in what comes back. The evaluator's share is drawn before it can know the
 * other, and the key-holder can only try shares until one hashes to what it likes.
 */
export async function drawTogether(ofEvaluator: Uint8Array, ofKeyHolder: Uint8Array): Promise<Int32Array> {
  const text = new Uint8Array(LABEL.length + 2 * SHARE_BYTES);
  text.set(LABEL);
  text.set(ofEvaluator, LABEL.length);
  text.set(ofKeyHolder, LABEL.length + SHARE_BYTES);
  return await expandText(text);
}
