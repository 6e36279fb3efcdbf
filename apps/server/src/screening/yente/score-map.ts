// From our scores to those of yente and back: 0.85, where we say that it is worth a look, is its threshold of 0.7.

/** Ours and theirs at the same place; straight lines between them. */
const POINTS = [
  [0, 0],
  [0.85, 0.7],
  [0.95, 0.9],
  [1, 1],
] as const;

/** Our scores have four decimals. */
const STEPS = 10_000;
/** As many as keep two of our scores apart. */
const THEIR_STEPS = 1_000_000;

export function toYenteScore(score: number): number {
  return Math.round(interpolate(score, 0, 1) * THEIR_STEPS) / THEIR_STEPS;
}

/** The least of our scores that is at least this one of theirs; above 1 where there is none. */
export function fromYenteScore(score: number): number {
  if (score <= 0) return 0;
  let step = Math.ceil(interpolate(Math.min(score, 1), 1, 0) * STEPS);
  // What was rounded on the way may be a step off.
  while (step <= STEPS && toYenteScore(step / STEPS) < score) step += 1;
  while (step > 0 && toYenteScore((step - 1) / STEPS) >= score) step -= 1;
  return step / STEPS;
}

function interpolate(value: number, from: 0 | 1, to: 0 | 1): number {
  const above = POINTS.findIndex((point) => value <= point[from]);
  const [low, high] = [POINTS[Math.max(0, above - 1)]!, POINTS[Math.max(1, above)]!];
  return low[to] + ((value - low[from]) * (high[to] - low[to])) / (high[from] - low[from]);
}
