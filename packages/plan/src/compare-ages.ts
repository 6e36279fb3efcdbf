// On which side of a threshold an age is: one comparison for the service, the page and the SDK.

/** How careful an estimate of a face's age is: what is taken off it before it is compared with a threshold. */
export interface AgeBound {
  /** Of the spread of the deep model's probabilities, in years. */
  spread: number;
  /** Of the years between the small model's answers for the face and for its mirror image. */
  mirror: number;
  /** On top, from everybody. */
  years: number;
}

/** Chosen on 3,500 pictures of two public sets, see docs/how-a-check-works.md: do not tune it on fewer. */
export const AGE_BOUND: Readonly<AgeBound> = { spread: 0.5, mirror: 0.35, years: 0 };

/** Least score of the live face against the one on the document; a host of age sessions may choose another. */
export const FACE_MATCH_THRESHOLD = 0.42;

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
