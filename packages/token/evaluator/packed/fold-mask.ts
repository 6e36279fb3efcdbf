// Masks of bodies that the key-holder folds: tokens that become a block, and a probe for blocks.
//
// As in a renewal, the key-holder decrypts uniform values for any content. Folding adds and
// subtracts coefficients, so the mask of the result is the folded mask. The evaluator then adds
// errors of its own to every coefficient. They are what the key-holder does not know of a block or
// folded probe besides its people's 512 numbers each.
import {
  BLOCK_BYTES,
  BLOCK_PEOPLE,
  fillGaussian,
  fillUniform,
  foldProbe,
  foldToken,
  POLYNOMIAL_BYTES,
  packBody,
  packPolynomial,
  Q,
  RING_DEGREE,
  reduce,
  TokenError,
  transform,
  transformInverse,
  unpackBody,
  unpackPolynomial,
} from '../../shared/index.ts';

export type PackingMask = ReturnType<typeof createPackingMask>;

/** Throws `TokenError` on an invalid body, and `RangeError` unless there are four. */
export function createPackingMask(bodies: readonly Uint8Array[]) {
  if (bodies.length !== BLOCK_PEOPLE) throw new RangeError('A block must have four people.');
  const folded = new Int32Array(RING_DEGREE);
  const masked = bodies.map((body, place) => {
    const { mask, bytes } = maskBody(body);
    foldToken(mask, place, folded);
    mask.fill(0);
    return bytes;
  });
  const unmask = takeOff(folded);
  return {
    /** Masked bodies to send to the key-holder. */
    masked,
    /**
     * Unmasks the key-holder's reply to a block. Can be called once, because the mask is then
     * wiped. Throws `TokenError`.
     */
    unmask(block: Uint8Array): Uint8Array {
      if (block.length !== BLOCK_BYTES) throw new TokenError('length');
      const whole = block.slice();
      packPolynomial(unmask(block.subarray(0, POLYNOMIAL_BYTES)), whole, 0);
      return whole;
    },
  };
}

export function createFoldingMask(probe: Uint8Array) {
  const { mask, bytes } = maskBody(probe);
  const folded = new Int32Array(RING_DEGREE);
  foldProbe(mask, folded);
  mask.fill(0);
  return {
    masked: bytes,
    /** Returns the folded probe's first polynomial in NTT form, once. Throws `TokenError`. */
    unmask: takeOff(folded),
  };
}

/** The mask as coefficients, and the masked body. */
function maskBody(body: Uint8Array): { mask: Int32Array; bytes: Uint8Array } {
  const { c0, c1 } = unpackBody(body);
  const mask = new Int32Array(RING_DEGREE);
  fillUniform(mask);
  for (let index = 0; index < RING_DEGREE; index++) c0[index] = (c0[index]! + mask[index]!) % Q;
  transformInverse(mask);
  return { mask, bytes: packBody(c0, c1) };
}

function takeOff(folded: Int32Array): (polynomial: Uint8Array) => Int32Array {
  let isUsed = false;
  return (polynomial) => {
    if (isUsed) throw new Error('The mask was already used.');
    const first = new Int32Array(RING_DEGREE);
    if (polynomial.length !== POLYNOMIAL_BYTES) throw new TokenError('length');
    if (!unpackPolynomial(polynomial, 0, first)) throw new TokenError('range');
    isUsed = true;
    const errors = new Int32Array(RING_DEGREE);
    fillGaussian(errors);
    for (let index = 0; index < RING_DEGREE; index++) errors[index] = reduce(errors[index]! - folded[index]!);
    folded.fill(0);
    transform(errors);
    for (let index = 0; index < RING_DEGREE; index++) first[index] = (first[index]! + errors[index]!) % Q;
    errors.fill(0);
    return first;
  };
}
