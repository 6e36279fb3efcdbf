// Maps our scores to those of yente and back. Our 0.85, from which matches deserve a review, is
// yente's threshold of 0.7.

/** Pairs of our score and yente's, with linear interpolation between them */
const POINTS = [
  [0, 0],
  [0.85, 0.7],
  [0.95, 0.9],
  [1, 1],
] as const;

/** Our scores have four decimals. Yente's have enough to distinguish any two of ours. */
const STEPS = 10_000;
const THEIR_STEPS = 1_000_000;

export function toYenteScore(score: number): number {
  return Math.round(interpolate(score, 0, 1) * THEIR_STEPS) / THEIR_STEPS;
}

/**
 * Returns the lowest of our scores that maps to at least this score of yente, or more than 1 if
 * none does.
 */
export function fromYenteScore(score: number): number {
  if (score <= 0) return 0;
  let step = Math.ceil(interpolate(Math.min(score, 1), 1, 0) * STEPS);
  // Rounding may be one step off.
  while (step <= STEPS && toYenteScore(step / STEPS) < score) step += 1;
  while (step > 0 && toYenteScore((step - 1) / STEPS) >= score) step -= 1;
  return step / STEPS;
}

function interpolate(value: number, from: 0 | 1, to: 0 | 1): number {
  const above = POINTS.findIndex((point) => value <= point[from]);
  const [low, high] = [POINTS[Math.max(0, above - 1)]!, POINTS[Math.max(1, above)]!];
  return low[to] + ((value - low[from]) * (high[to] - low[to])) / (high[from] - low[from]);
}
