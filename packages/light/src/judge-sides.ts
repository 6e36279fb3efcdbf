// Tells a face before a screen from paint over a picture of one, by its two sides: a lamp to the left or right gives it away.
import { MIRRORED } from './patches.ts';

/** One place on the face: its share of the whole face's response, the noise of that share, and its brightness. */
export interface Place {
  share: number;
  noise: number;
  level: number;
}

/**
 * What a screen before the face adds is the same on both sides, however the lamps light them. What a program adds to a
 * picture goes with it: a factor adds most where the picture is bright, and a colour that is mixed in, as drawing programs
 * do it, about the root of that. So the brighter side tells: by this power of how much brighter it is, it is painted more.
 * What is added as light is, in linear values, is not told from a screen's.
 */
const PAINTS = [1, 0.57];
/** Of the logarithms: faces are not quite even, and screens and heads not quite straight. */
const UNEVEN = 0.07;
const ASKEW = 0.3;
/** No lamp in a room makes one side so much brighter: the other is hair, which gives back less of any light. */
const MOST_BRIGHTER = 1.2;
/** Degrees of freedom of Student's distribution: where neither explains the sides, a little less badly is no evidence. */
const TAIL = 4;

interface Pair {
  slant: number;
  /** Logarithms: how much brighter one side is than the other, and how much more the screen has added to it. */
  brighter: number;
  added: number;
  variance: number;
}

/**
 * How much likelier the sides are with a screen than with paint, as a logarithm. The pair that speaks most for paint is
 * left out, because a mark on one side of a face looks like it. Null where not all of them were seen.
 */
export function judgeSides(places: readonly (Place | null)[]): number | null {
  const pairs = MIRRORED.flatMap(({ sides: [left, right], slant }) =>
    readPair(places[left] ?? null, places[right] ?? null, slant),
  );
  if (pairs.length < MIRRORED.length) return null;
  const usable = pairs.filter(({ brighter }) => Math.abs(brighter) <= MOST_BRIGHTER);
  if (usable.length < 2) return 0;
  return Math.max(...usable.map((pair) => compare(usable.filter((other) => other !== pair))));
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

/** Squares of what is left, where all pairs may be askew together, each by its slant. */
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
