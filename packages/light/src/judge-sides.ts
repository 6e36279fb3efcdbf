// Separates a face in front of a screen from a painted picture by the face's two sides and a lamp
// on one of them.
import { MIRRORED } from './patches.ts';

/** A place on the face: its relative response, the noise of that, and its brightness. */
export interface Place {
  share: number;
  noise: number;
  level: number;
}

/**
 * A screen adds the same to both sides, however lamps light them. A program's addition depends on
 * the picture: a factor adds in proportion to the brightness, and a blended color roughly with its
 * square root. So the brighter side shows paint with these powers. An addition in linear light
 * cannot be distinguished from a screen's.
 */
const PAINTS = [1, 0.57];
/** Standard deviations of the logarithms: faces are asymmetric, screens oblique. */
const UNEVEN = 0.07;
const ASKEW = 0.3;
/** No lamp makes one side this much brighter: the other side is hair. */
const MOST_BRIGHTER = 1.2;
/** Degrees of freedom of Student's distribution, so that a slightly less bad fit is no evidence. */
const TAIL = 4;

interface Pair {
  slant: number;
  /** Log ratios of the brightness and of the screen's addition between the sides. */
  brighter: number;
  added: number;
  variance: number;
}

/**
 * Log-likelihood ratio of a screen over paint. Omits the pair most in favor of paint, because a
 * mark on one side looks like it. Returns null if a pair was not visible.
 */
export function judgeSides(places: readonly (Place | null)[]): number | null {
  const pairs = MIRRORED.flatMap(({ sides: [left, right], slant }) =>
    readPair(places[left] ?? null, places[right] ?? null, slant),
  );
  if (pairs.length < MIRRORED.length) return null;
  const usable = pairs.filter(({ brighter }) => Math.abs(brighter) <= MOST_BRIGHTER);
  if (usable.length < 2) return 0;
  return Math.max(...usable.map((pair) => compare(usable.filter((usedPair) => usedPair !== pair))));
}

function readPair(left: Place | null, right: Place | null, slant: number): Pair[] {
  if (!left || !right || !(left.share > 0 && right.share > 0)) return [];
  const brighter = Math.log(left.level / right.level);
  const variance = (left.noise / left.share) ** 2 + (right.noise / right.share) ** 2 + UNEVEN ** 2;
  return [{ slant, brighter, added: Math.log(left.share / right.share) + brighter, variance }];
}

function compare(pairs: readonly Pair[]): number {
  const unlikely = (leftOf: (pair: Pair) => number) =>
    ((TAIL + pairs.length) / 2) * Math.log(1 + misfit(pairs, leftOf) / TAIL);
  const byPaint = PAINTS.map((power) => unlikely(({ added, brighter }) => added - power * brighter));
  return Math.min(...byPaint) - unlikely(({ added }) => added);
}

/** Sums squared residuals when all pairs may be oblique together, each by its slant. */
function misfit(pairs: readonly Pair[], leftOf: (pair: Pair) => number): number {
  let [squares, along, slants] = [0, 0, 0];
  for (const pair of pairs) {
    const left = leftOf(pair);
    squares += left ** 2 / pair.variance;
    along += (pair.slant * left) / pair.variance;
    slants += pair.slant ** 2 / pair.variance;
  }
  return squares - along ** 2 / (1 / ASKEW ** 2 + slants);
}
