// Folds an embedding's polynomial to a quarter of its length, so that four people fit in one.
//
// An embedding is in the first half of the encoder's real slots, and the other half is zero. Its
// polynomial m therefore has redundancies: it is even, m[n - i] = -m[i]; and its coefficients at
// even places alone are already the embedding, rotated, at 1/√2 of its length, because dropping the
// odd places adds the other half's zeros to the slots. The 512 numbers f[i] = m[2i] - m[n - 2i]
// thus contain everything, and summed products of two such lists are again the cosine times M².
//
// Folding uses only sums and differences of coefficients, so it works on a masked polynomial and on
// its mask.
import { Q, RING_DEGREE } from '../parameters.ts';

/** People per block, each with equally many coefficients. */
export const BLOCK_PEOPLE = 4;
export const FOLDED_LENGTH: number = RING_DEGREE / BLOCK_PEOPLE;

/** Adds a token, as coefficients 0..q-1, to a block at one of its four places. */
export function foldToken(coefficients: Int32Array, place: number, block: Int32Array): void {
  const at = place * FOLDED_LENGTH;
  block[at] = coefficients[0]!;
  for (let index = 1; index < FOLDED_LENGTH; index++) block[at + index] = difference(coefficients, index);
}

/**
 * Reverses a probe, so that the coefficients at 0, 512, 1024 and 1536 of its product with a block
 * are the scores of the block's four people. For any polynomials, no place affects the score of
 * another: each coefficient here meets exactly one in the block at that power.
 */
export function foldProbe(coefficients: Int32Array, out: Int32Array): void {
  out.fill(0);
  // Doubled here and not in the token, because the sum contains it once and all others twice.
  out[0] = (2 * coefficients[0]!) % Q;
  for (let index = 1; index < FOLDED_LENGTH; index++) {
    const folded = difference(coefficients, index);
    out[RING_DEGREE - index] = folded === 0 ? 0 : Q - folded;
  }
}

function difference(coefficients: Int32Array, index: number): number {
  const value = coefficients[2 * index]! - coefficients[RING_DEGREE - 2 * index]!;
  return value < 0 ? value + Q : value;
}
