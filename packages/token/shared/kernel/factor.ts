// Factors in the kernel's form: residues followed by their companions.
import { Q, RING_DEGREE } from '../parameters.ts';
import { center, reduce } from '../ring.ts';

/** Two polynomials of 2048 32-bit integers. */
export const PLACE_BYTES = 16_384;

/** After a block's polynomial: its rounded product with the probes' one; then its nonce. */
export const BLOCK_PRODUCT_AT: number = 4 * RING_DEGREE;
export const BLOCK_NONCE_AT: number = BLOCK_PRODUCT_AT + 2 * RING_DEGREE;

/** Residues and companions, 32 bits each. */
export const FACTOR_WORDS = 2 * RING_DEGREE;

/** Companion of a centered factor: the upper half of its product with a value is the quotient. */
export function computeCompanion(factor: number): number {
  return Math.round((factor * 2 ** 32) / Q);
}

/** Values in NTT form times `scale`, as a factor. */
export function writeFactor(values: Int32Array, scale: number, out: Int32Array): void {
  for (let index = 0; index < RING_DEGREE; index++) {
    const factor = center(reduce(values[index]! * scale));
    out[index] = factor;
    out[RING_DEGREE + index] = computeCompanion(factor);
  }
}
