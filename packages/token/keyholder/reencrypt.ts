// Moves a masked body from one key to another without seeing its content, for adoption and for key
// renewal.
import { drawSecondPolynomial, MASKED_BYTES, REENCRYPTED_BYTES, SHARE_BYTES } from '../shared/masked-body.ts';
import { unpackBody } from '../shared/pack-body.ts';
import { BODY_BYTES, Q, RING_DEGREE } from '../shared/parameters.ts';
import { POLYNOMIAL_BYTES, packPolynomial } from '../shared/polynomial-bytes.ts';
import { fillGaussian } from '../shared/random.ts';
import { reduce, transform } from '../shared/ring.ts';
import { TokenError } from '../shared/token-error.ts';
import type { SecretKey } from './secret-key.ts';

/**
 * The evaluator added a uniform mask, so the decryption is uniform. It is encrypted symmetrically:
 * noise on the first polynomial, and a second one drawn by both sides. With our share in each draw,
 * no second polynomial repeats, which would reveal the noise. Throws `TokenError` on an invalid
 * body.
 */
export async function reencrypt(masked: Uint8Array, oldKey: SecretKey, newKey: SecretKey): Promise<Uint8Array> {
  if (masked.length !== MASKED_BYTES) {
    throw new TokenError('length');
  }
  const { c0, c1 } = unpackBody(masked.subarray(0, BODY_BYTES));
  const share = crypto.getRandomValues(new Uint8Array(SHARE_BYTES));
  const second = await drawSecondPolynomial(masked.subarray(BODY_BYTES), share);
  const noise = new Int32Array(RING_DEGREE);
  fillGaussian(noise);
  for (let index = 0; index < RING_DEGREE; index++) {
    noise[index] = noise[index]! < 0 ? noise[index]! + Q : noise[index]!;
  }
  transform(noise);
  for (let index = 0; index < RING_DEGREE; index++) {
    const plain = c0[index]! + reduce(c1[index]! * oldKey.values[index]!);
    c0[index] = reduce(plain + noise[index]! - reduce(second[index]! * newKey.values[index]!));
  }
  noise.fill(0);
  const reencrypted = new Uint8Array(REENCRYPTED_BYTES);
  packPolynomial(c0, reencrypted, 0);
  reencrypted.set(share, POLYNOMIAL_BYTES);
  return reencrypted;
}
