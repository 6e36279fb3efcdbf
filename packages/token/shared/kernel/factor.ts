// Factors as the kernel multiplies with them: residues, and behind them their companions.
import { Q, RING_DEGREE } from '../parameters.ts';
import { centre, reduce } from '../ring.ts';

/** Residues and companions, 32 bits each. */
export const FACTOR_WORDS = 2 * RING_DEGREE;

/** What gives the quotient of a product with the factor, which is centred, in the product's upper half. */
export function companionOf(factor: number): number {
  return Math.round((factor * 2 ** 32) / Q);
}

/** Values in NTT form times `scale`, as a factor. */
export function writeFactor(values: Int32Array, scale: number, out: Int32Array): void {
  for (let index = 0; index < RING_DEGREE; index++) {
    const factor = centre(reduce(values[index]! * scale));
    out[index] = factor;
    out[RING_DEGREE + index] = companionOf(factor);
  }
}
