// Secret random projections, from which the key-holder learns only that a decrypted polynomial is
// short.
import { RING_DEGREE } from './parameters.ts';
import { fillBounded } from './random.ts';

/**
 * An embedding is in the encoder's real slots, which makes its polynomial *even*: coefficient i is
 * minus coefficient n - i. Even projections measure the length of that part. Odd ones measure the
 * rest, which is only noise in a legitimate token, and where a forger could hide length: the
 * product of a polynomial with itself counts the odd part negatively.
 *
 * 128 even ones, because norms are only known modulo q: a probe of length √3.2 has the same product
 * with itself as one of length 1. With a window that refuses one legitimate probe in 100,000, 64
 * projections would let one in 150 of those pass.
 */
export const EVEN_PROJECTIONS = 128;
export const ODD_PROJECTIONS = 32;
export const PROJECTIONS = EVEN_PROJECTIONS + ODD_PROJECTIONS;

/**
 * Coefficients are uniform in -1023..1023. With ternary ones, the rounding that hides the projected
 * polynomial (10,900) would exceed twice the measured value (4,500). A fixed multiple A of ternary
 * ones would be worse: a forger who knows A uses a long polynomial B for which A·B is short modulo
 * q.
 */
const PAIR_BOUND = 1023;
export const PROJECTION_VARIANCE = (PAIR_BOUND * (PAIR_BOUND + 1)) / 3;

/**
 * All coefficients except one come in pairs and count twice. That one is drawn √2 wider, or length
 * could hide there. No coefficient exceeds this.
 */
export const PROJECTION_BOUND: number = Math.round(PAIR_BOUND * Math.SQRT2);

/** Numbers 0..EVEN_PROJECTIONS-1 are even. The caller keeps the coefficients secret. */
export function drawProjection(number: number, out: Int32Array) {
  fillBounded(out.subarray(0, RING_DEGREE / 2), PAIR_BOUND);
  const isEven = number < EVEN_PROJECTIONS;
  for (let index = 1; index < RING_DEGREE / 2; index++) {
    out[RING_DEGREE - index] = isEven ? -out[index]! : out[index]!;
  }
  const alone = isEven ? 0 : RING_DEGREE / 2;
  fillBounded(out.subarray(alone, alone + 1), PROJECTION_BOUND);
  out[RING_DEGREE / 2 - alone] = 0;
}
