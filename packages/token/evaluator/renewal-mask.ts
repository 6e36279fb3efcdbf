// Masks of a body that is adopted or renewed: the key-holder decrypts and re-encrypts it without
// seeing it.
import {
  BODY_BYTES,
  drawSecondPolynomial,
  fillGaussian,
  fillUniform,
  MASKED_BYTES,
  POLYNOMIAL_BYTES,
  packBody,
  Q,
  REENCRYPTED_BYTES,
  RING_DEGREE,
  reduce,
  SHARE_BYTES,
  TokenError,
  transform,
  unpackBody,
  unpackPolynomial,
} from '../shared/index.ts';

export type RenewalMask = ReturnType<typeof createRenewalMask>;

/**
 * The key-holder decrypts the embedding plus a one-time polynomial that is uniform modulo q. The
 * sum is uniform for any embedding, so no encryption of zero is needed to hide it. The key-holder
 * sees c1, which is random and reveals nothing without c0.
 *
 * It then knows the new c1 and the errors it drew, so the evaluator adds errors of its own. They
 * are as large as those of a fresh encryption before its division by P, which is negligible.
 */
export function createRenewalMask(body: Uint8Array) {
  const { c0, c1 } = unpackBody(body);
  const mask = new Int32Array(RING_DEGREE);
  fillUniform(mask);
  for (let index = 0; index < RING_DEGREE; index++) c0[index] = (c0[index]! + mask[index]!) % Q;
  const share = crypto.getRandomValues(new Uint8Array(SHARE_BYTES));
  const masked = new Uint8Array(MASKED_BYTES);
  masked.set(packBody(c0, c1));
  masked.set(share, BODY_BYTES);
  let isUsed = false;
  return {
    /** Masked body and our share of the draw, to send to the key-holder. */
    masked,
    /** Unmasks the key-holder's reply. Can be called once, because the mask is wiped. */
    async unmask(reencrypted: Uint8Array): Promise<Uint8Array> {
      if (isUsed) throw new Error('The mask was already used.');
      if (reencrypted.length !== REENCRYPTED_BYTES) throw new TokenError('length');
      const first = new Int32Array(RING_DEGREE);
      if (!unpackPolynomial(reencrypted, 0, first)) throw new TokenError('range');
      isUsed = true;
      const second = await drawSecondPolynomial(share, reencrypted.subarray(POLYNOMIAL_BYTES));
      const errors = new Int32Array(RING_DEGREE);
      fillGaussian(errors);
      for (let index = 0; index < RING_DEGREE; index++) errors[index] = reduce(errors[index]!);
      transform(errors);
      for (let index = 0; index < RING_DEGREE; index++)
        first[index] = reduce(first[index]! - mask[index]! + errors[index]!);
      mask.fill(0);
      errors.fill(0);
      return packBody(first, second);
    },
  };
}
