// A polynomial with -X in place of X: even powers stay, odd ones change their sign.
import { RING_DEGREE } from './parameters.ts';

/**
 * In NTT form. Value j is that at the root's power 2·reverse(j) + 1, and -X is the power that is n further: the last bit of
 * j is the other one.
 */
export function conjugate(values: Int32Array): Int32Array {
  const swapped = new Int32Array(RING_DEGREE);
  for (let index = 0; index < RING_DEGREE; index++) swapped[index] = values[index ^ 1]!;
  return swapped;
}
