// The similarity from which two faces count as one person: by model version, and stricter in large galleries.

const BASE_THRESHOLDS: readonly { versions: RegExp; threshold: number }[] = [{ versions: /^FACE3_/, threshold: 0.6 }];
const DEFAULT_THRESHOLD = 0.6;

/** A probe against N people has N chances to match a stranger, so the threshold rises with the logarithm of N, up to a limit. */
const GROWS_FROM_PEOPLE = 1_000;
const GROWTH_PER_TENFOLD = 0.07;
const MOST_BY_GROWTH = 0.75;

export type MatchThresholds = ReturnType<typeof createMatchThresholds>;

/** `configured` replaces the table's base for every version. */
export function createMatchThresholds(configured?: number) {
  return {
    of(modelVersion: string, people: number): number {
      const base =
        configured ??
        BASE_THRESHOLDS.find(({ versions }) => versions.test(modelVersion))?.threshold ??
        DEFAULT_THRESHOLD;
      if (people <= GROWS_FROM_PEOPLE) return base;
      const grown = base + GROWTH_PER_TENFOLD * Math.log10(people / GROWS_FROM_PEOPLE);
      return Math.max(base, Math.min(grown, MOST_BY_GROWTH));
    },
  };
}
