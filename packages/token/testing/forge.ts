// Bodies that no unmodified device creates: any polynomial encrypted under a known key, or numbers
// in unused slots.
import { encryptValues } from '../device/device.ts';
import type { SecretKey } from '../keyholder/index.ts';
import { fillGaussian, fillUniform, packBody, RING_DEGREE, reduce, transform } from '../shared/index.ts';
import { SLOTS } from '../shared/parameters.ts';
import { loadSeal } from '../shared/seal.ts';
import { toResidues } from './plain-evaluator.ts';

/** Symmetric for speed. `noise` is that of a fresh token. */
export function encryptPolynomial(coefficients: ArrayLike<number>, key: SecretKey, noise = 11): Uint8Array {
  const c0 = new Int32Array(RING_DEGREE);
  const c1 = new Int32Array(RING_DEGREE);
  fillUniform(c1);
  if (noise > 0) {
    fillGaussian(c0, noise);
  }
  for (let index = 0; index < RING_DEGREE; index++) {
    c0[index]! += Math.round(coefficients[index] ?? 0);
  }
  toResidues(c0);
  transform(c0);
  for (let index = 0; index < RING_DEGREE; index++) {
    c0[index] = reduce(c0[index]! - reduce(c1[index]! * key.values[index]!));
  }
  return packBody(c0, c1);
}

/** An even or odd polynomial of the given length, in a random direction. */
export function randomPolynomial(length: number, parity: 'even' | 'odd'): Float64Array {
  const drawn = new Int32Array(RING_DEGREE);
  fillGaussian(drawn, 2 ** 20);
  const polynomial = Float64Array.from(drawn);
  for (let index = 1; index < RING_DEGREE / 2; index++) {
    polynomial[RING_DEGREE - index] = parity === 'even' ? -polynomial[index]! : polynomial[index]!;
  }
  polynomial[parity === 'even' ? RING_DEGREE / 2 : 0] = 0;
  const factor = length / Math.sqrt(polynomial.reduce((sum, value) => sum + value * value, 0));
  return polynomial.map((value) => value * factor);
}

export function addPolynomials(left: Float64Array, right: Float64Array): Float64Array {
  return left.map((value, index) => value + right[index]!);
}

/**
 * A face in both halves of the slots, of which devices leave the second one empty: even, of length
 * 1, and entirely at even powers of X, so that it has length √2 after folding. A device only has to
 * skip one of its own checks.
 */
export async function encryptInBothHalves(vector: Float32Array, publicKey: Uint8Array): Promise<Uint8Array> {
  const seal = await loadSeal();
  const encoder = new seal.library.CKKSEncoder(seal.context);
  const length = Math.sqrt(2 * vector.reduce((sum, value) => sum + value * value, 0));
  const values = new Float64Array(SLOTS);
  for (const [index, value] of vector.entries()) {
    values[index] = value / length;
    values[SLOTS / 2 + index] = value / length;
  }
  try {
    return encryptValues(seal, encoder, values, publicKey);
  } finally {
    encoder.delete();
  }
}
