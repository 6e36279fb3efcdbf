// How far pgvector's scores can be from the truth, and so which rows may belong to the best.
import { similarity } from '../face-vectors.ts';

/** Candidates beyond `k`, so that near ties, of which half precision makes many, seldom need a second scan. */
export const SPARE_CANDIDATES = 32;

/** Half a step of a half-precision number, relative to it; and below the normal ones, where steps stay the same, absolute. */
const HALF_ROUNDING = 2 ** -11;
const HALF_LEAST = 2 ** -25;
/** Half a step of float32 at 1. */
const ROUNDING = 2 ** -24;
/** The roundings of the two rotated vectors and of their lengths, and what is lost in multiplying. */
const FURTHER_ROUNDINGS = 8;

/**
 * The most that a score can differ from the similarity. Both vectors were rounded to half precision, each number by its own
 * share of itself, so together by that share of their lengths; the sum has as many numbers as there are dimensions, in
 * single precision, in whatever order, and for vectors of length one each addition is off by at most one rounding.
 */
export function scoreMargin(probe: Float32Array): number {
  const dimensions = probe.length;
  const halves = 2 * HALF_ROUNDING + HALF_ROUNDING ** 2 + 2 * Math.sqrt(dimensions) * HALF_LEAST;
  return (halves + (dimensions + FURTHER_ROUNDINGS) * ROUNDING) * 1.01 * Math.sqrt(similarity(probe, probe));
}

/**
 * Given the rows with the best scores, `k` and the spare ones: the score down to which a row may belong to the best `k`,
 * if there may be such rows beyond these.
 */
export function candidateBound(rows: readonly { score: number }[], k: number, margin: number): number | undefined {
  if (rows.length < k + SPARE_CANDIDATES) return undefined;
  const scores = rows.map(({ score }) => score).sort((left, right) => right - left);
  // The k-th best row is at least this similar: its score less a margin. Another row that is as similar scores at most
  // one more margin below that.
  const bound = scores[k - 1]! - 2 * margin;
  return scores.at(-1)! < bound ? undefined : bound;
}
