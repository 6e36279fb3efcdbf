// How far pgvector's scores can be from the truth, and so which rows may belong to the best.
import { similarity } from '../face-vectors.ts';

/** Candidates beyond `k`, so that a near tie seldom needs a second scan. */
export const SPARE_CANDIDATES = 8;

/** Half a step of float32 at 1. */
const ROUNDING = 2 ** -24;
/** The roundings of the two rotated vectors and of their lengths, and what is lost in multiplying. */
const FURTHER_ROUNDINGS = 8;

/**
 * The most that a score can differ from the similarity. It is a sum of as many numbers as there are dimensions, in single
 * precision, in whatever order; for vectors of length one, each addition is off by at most one rounding.
 */
export function scoreMargin(probe: Float32Array): number {
  return (probe.length + FURTHER_ROUNDINGS) * ROUNDING * 1.01 * Math.sqrt(similarity(probe, probe));
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
