// Keeps the best row and the second best of a search, so that no list of scores ever exists.

/** How far the best must be ahead of the second, where somebody is sought among several. */
const MARGIN = 0.05;

export type Ranking = ReturnType<typeof createRanking>;

export function createRanking() {
  let rows = 0;
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  let bestAt = -1;
  return {
    get rows(): number {
      return rows;
    },
    /** The scores are wiped. */
    add(scores: Float64Array): void {
      for (let at = 0; at < scores.length; at++) {
        const score = scores[at]!;
        if (score > best) {
          second = best;
          best = score;
          bestAt = rows + at;
        } else if (score > second) {
          second = score;
        }
      }
      rows += scores.length;
      scores.fill(0);
    },
    /** The position of the best row, if it reaches the threshold and, with `alone`, stands out. */
    choose(threshold: number, alone: boolean): number | null {
      if (!(best >= threshold)) return null;
      return alone && best - second < MARGIN ? null : bestAt;
    },
    wipe(): void {
      best = second = Number.NEGATIVE_INFINITY;
      bestAt = -1;
    },
  };
}
