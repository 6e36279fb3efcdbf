// How careful an estimate of a face's age is: what is taken off it before it is compared with a threshold.

export interface AgeBound {
  /** Of the spread of the deep model's probabilities, in years. */
  spread: number;
  /** Of the years between the small model's answers for the face and for its mirror image. */
  mirror: number;
  /** On top, from everybody. */
  years: number;
}

/** Chosen on 3,500 pictures of two public sets, see docs/age.md: do not tune it on fewer. */
export const AGE_BOUND: Readonly<AgeBound> = { spread: 0.5, mirror: 0.35, years: 0 };
