// Masks of a body that is adopted or renewed: the key-holder decrypts it and encrypts it again without seeing it.
import {
  BODY_BYTES,
  drawTogether,
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

export type RenewalMask = ReturnType<typeof maskForRenewal>;

/**
 * What the key-holder decrypts is the embedding plus a polynomial that is uniform modulo q and used once: the sum is
 * uniform whatever the embedding is, so that no encryption of zero need be added to hide it. It does see c1, which is
 * random and says nothing without c0.
 *
 * Afterwards the key-holder knows the new c1 and the errors it drew, so that the evaluator adds errors of its own.
 * They are as large as those of a fresh encryption before its division by P, and cost nothing next to what is there.
 */
export function maskForRenewal(body: Uint8Array) {
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
    /** What to send to the key-holder: the body, masked, and our share of the draw. */
    masked,
    /** The body under the other key, from what the key-holder gave back. Once: the mask is gone afterwards. */
    async unmask(reencrypted: Uint8Array): Promise<Uint8Array> {
      if (isUsed) throw new Error('The mask was used before');
      if (reencrypted.length !== REENCRYPTED_BYTES) throw new TokenError('length');
      const first = new Int32Array(RING_DEGREE);
      if (!unpackPolynomial(reencrypted, 0, first)) throw new TokenError('range');
      isUsed = true;
      const second = await drawTogether(share, reencrypted.subarray(POLYNOMIAL_BYTES));
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
