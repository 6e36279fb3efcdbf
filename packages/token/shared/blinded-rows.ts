// The layout of blinded comparisons, which the evaluator writes and the key-holder scores.
import { RING_DEGREE } from './parameters.ts';
import { PROJECTIONS } from './projection.ts';

/**
 * A row is one comparison of a token (c0, c1) with a probe (d0, d1), as the key-holder gets it; little-endian:
 *
 * | at    | what |
 * |-------|------|
 * | 0     | i32: the constant coefficient of c0·d0, with the evaluator's own noise, centred around 0 |
 * | 4     | twelve zeros, so that all that follows begins at a multiple of sixteen |
 * | 16    | i16 × 2048: the coefficients of c1·d0 times 65,536/q, rounded, modulo 65,536 |
 * | 4,112 | i16 × 2048: the same of c0·d1 |
 * | 8,208 | i32 × 2048: c1·d1 times 1/n modulo q, in NTT form; little more than q at most |
 *
 * The score's numerator is the word, plus q/65,536 times the first polynomial's constant coefficient after
 * multiplication with the token's key and that of the second with the probe's key, plus the sum over the last times both
 * keys in NTT form: modulo q, centred.
 */
export const ROW_BYTES = 16 + 2 * 2 * RING_DEGREE + 4 * RING_DEGREE;
export const ROW_LEFT_AT = 16;
export const ROW_RIGHT_AT = ROW_LEFT_AT + 2 * RING_DEGREE;
export const ROW_PRODUCT_AT = ROW_RIGHT_AT + 2 * RING_DEGREE;

/** Standard deviation of the noise that the evaluator adds to each score, in units of the cosine. */
export const SCORE_NOISE = 5e-4;

export interface BlindedRows {
  count: number;
  /** `count` rows of ROW_BYTES; over shared memory where they came from a thread. */
  bytes: Uint8Array;
}

/** Whether the number of bytes fits the number of rows: checked before anything from outside is scored. */
export function areWholeRows({ count, bytes }: BlindedRows): boolean {
  return Number.isInteger(count) && count >= 0 && bytes.length === count * ROW_BYTES;
}

/**
 * One projection of a body (c0, c1) on a secret polynomial u; little-endian:
 *
 * | at | what |
 * |----|------|
 * | 0  | i32: the constant coefficient of c0·u, centred around 0 |
 * | 4  | twelve zeros |
 * | 16 | i16 × 2048: the coefficients of c1·u times 65,536/q, rounded, modulo 65,536 |
 */
export const PROJECTION_BYTES = 16 + 2 * RING_DEGREE;
export const PROJECTION_ROUNDED_AT = 16;

/**
 * A row of the body with itself, which shows its norm; one of the body with itself, -X in place of X, which shows its balance;
 * then the projections in the order of their numbers.
 */
export const SHAPE_BALANCE_AT: number = 1 * ROW_BYTES;
export const SHAPE_PROJECTIONS_AT = 2 * ROW_BYTES;
export const SHAPE_BYTES = SHAPE_PROJECTIONS_AT + PROJECTIONS * PROJECTION_BYTES;

export interface BlindedShape {
  bytes: Uint8Array;
}
