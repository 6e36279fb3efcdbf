// Layout of blinded comparisons, written by the evaluator and scored by the key-holder.
import { RING_DEGREE } from './parameters.ts';
import { PROJECTIONS } from './projection.ts';

/**
 * A row is one comparison of a token (c0, c1) with a probe (d0, d1), as sent to the key-holder; little-endian:
 *
 * | at    | content |
 * |-------|---------|
 * | 0     | i32: the constant coefficient of c0·d0, with the evaluator's noise, centered around 0 |
 * | 4     | twelve zeros, for alignment to multiples of sixteen |
 * | 16    | i16 × 2048: the coefficients of c1·d0 times 65,536/q, rounded, modulo 65,536 |
 * | 4,112 | i16 × 2048: the coefficients of c0·d1, rounded as above |
 * | 8,208 | i32 × 2048: c1·d1 times 1/n modulo q, in NTT form; slightly above q at most |
 *
 * The score's numerator, modulo q and centered, is the sum of three terms: the word; q/65,536 times the
 * constant coefficients of the first polynomial times the token's key and of the second times the probe's
 * key; and the sum over the last times both keys in NTT form.
 */
export const ROW_BYTES = 16 + 2 * 2 * RING_DEGREE + 4 * RING_DEGREE;
export const ROW_LEFT_AT = 16;
export const ROW_RIGHT_AT = ROW_LEFT_AT + 2 * RING_DEGREE;
export const ROW_PRODUCT_AT = ROW_RIGHT_AT + 2 * RING_DEGREE;

/** Standard deviation of the evaluator's noise on each score, in units of the cosine. */
export const SCORE_NOISE = 5e-4;

export interface BlindedRows {
  count: number;
  /** `count` rows of ROW_BYTES. In shared memory if they came from a thread. */
  bytes: Uint8Array;
}

/**
 * Returns whether the number of bytes fits the number of rows. Checked before external data is
 * scored.
 */
export function areWholeRows({ count, bytes }: BlindedRows): boolean {
  return Number.isInteger(count) && count >= 0 && bytes.length === count * ROW_BYTES;
}

/**
 * One projection of a body (c0, c1) on a secret polynomial u; little-endian:
 *
 * | at | content |
 * |----|---------|
 * | 0  | i32: the constant coefficient of c0·u, centered around 0 |
 * | 4  | twelve zeros |
 * | 16 | i16 × 2048: the coefficients of c1·u times 65,536/q, rounded, modulo 65,536 |
 */
export const PROJECTION_BYTES = 16 + 2 * RING_DEGREE;
export const PROJECTION_ROUNDED_AT = 16;

/**
 * A row of the body with itself, for its norm; one with -X in place of X, for its balance; then the
 * projections in order.
 */
export const SHAPE_BALANCE_AT: number = 1 * ROW_BYTES;
export const SHAPE_PROJECTIONS_AT = 2 * ROW_BYTES;
export const SHAPE_BYTES = SHAPE_PROJECTIONS_AT + PROJECTIONS * PROJECTION_BYTES;

export interface BlindedShape {
  bytes: Uint8Array;
}
