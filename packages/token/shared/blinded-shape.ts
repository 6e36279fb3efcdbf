// The layout of a blinded shape: what the key-holder needs to see that a body is of a unit vector, and nothing else of it.
import { ROW_BYTES } from './blinded-rows.ts';
import { RING_DEGREE } from './parameters.ts';
import { PROJECTIONS } from './projection.ts';

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
export const SHAPE_BALANCE_AT: number = ROW_BYTES;
export const SHAPE_PROJECTIONS_AT: number = 2 * ROW_BYTES;
export const SHAPE_BYTES: number = SHAPE_PROJECTIONS_AT + PROJECTIONS * PROJECTION_BYTES;

export interface BlindedShape {
  bytes: Uint8Array;
}
