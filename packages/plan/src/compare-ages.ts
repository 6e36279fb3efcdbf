// Compares ages with thresholds, identically in service, page and SDK.

/** Safety margins of a face's age estimate, subtracted before the comparison. */
export interface AgeBound {
  /** Factor for the spread of the deep model's probabilities, in years. */
  spread: number;
  /** Factor for the difference between a face and its mirror image in the small model. */
  mirror: number;
  /** Constant margin in years. */
  years: number;
}

/** Tuned on 3,500 public pictures (docs/how-a-check-works.md). Do not tune it on fewer. */
export const AGE_BOUND: Readonly<AgeBound> = { spread: 0.5, mirror: 0.35, years: 0 };

/** Minimum similarity of live face and document. A host of age sessions may override it. */
export const FACE_MATCH_THRESHOLD = 0.42;

export const THRESHOLD_RESULTS = ['AGE_BELOW_THRESHOLD', 'AGE_AT_THRESHOLD', 'AGE_ABOVE_THRESHOLD'] as const;
export type ThresholdResult = (typeof THRESHOLD_RESULTS)[number];

export const MAX_YEARS = 150;

/** Compares whole years: a person is 18 until they turn 19. NaN counts as below. */
export function compareAge(age: number, threshold: number): ThresholdResult {
  const years = Math.floor(age);
  if (years > threshold) return 'AGE_ABOVE_THRESHOLD';
  return years === threshold ? 'AGE_AT_THRESHOLD' : 'AGE_BELOW_THRESHOLD';
}

export function isBelow(age: number, threshold: number): boolean {
  return compareAge(age, threshold) === 'AGE_BELOW_THRESHOLD';
}
