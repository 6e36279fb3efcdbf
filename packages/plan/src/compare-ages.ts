// On which side of a threshold an age is: one comparison for the service, the page and the SDK.

export const THRESHOLD_RESULTS = ['AGE_BELOW_THRESHOLD', 'AGE_AT_THRESHOLD', 'AGE_ABOVE_THRESHOLD'] as const;
export type ThresholdResult = (typeof THRESHOLD_RESULTS)[number];

/** Years beyond which nobody is believed. */
export const MAX_YEARS = 150;

/** Whole years: a person is 18 until the day they are 19. What is no number is below: it proves nothing. */
export function compareAge(age: number, threshold: number): ThresholdResult {
  const years = Math.floor(age);
  if (years > threshold) return 'AGE_ABOVE_THRESHOLD';
  return years === threshold ? 'AGE_AT_THRESHOLD' : 'AGE_BELOW_THRESHOLD';
}

export function isBelow(age: number, threshold: number): boolean {
  return compareAge(age, threshold) === 'AGE_BELOW_THRESHOLD';
}
