// Kinds of similarity between two name parts, as reported to analysts.

export const SAME = 0;
export const SPELLING = 1;
export const OTHER_FORM = 2;
export const NICKNAME = 3;
export const SLIP = 4;
export const SOUND = 5;
export const INITIAL = 6;
export const OTHER_SCRIPT = 7;
export const NEAR = 8;
export const ACRONYM = 9;
export type Likeness = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** Similarity of parts that are the same name, by kind of difference. */
export const SIMILARITY = {
  spelling: 0.97,
  /** A Cyrillic name by the rules of two languages. */
  transcription: 0.98,
  otherForm: 0.94,
  shortForm: 0.86,
  nickname: 0.91,
  /** In scripts without vowels: a known name, a possible reading, equal consonants. */
  known: 0.995,
  read: 0.97,
  otherScript: 0.95,
  fewConsonants: 0.9,
  consonantsAlone: 0.9,
  fewConsonantsAlone: 0.84,
  initial: 0.96,
  acronym: 0.98,
} as const;

/**
 * Less similar parts do not match. Must be at least 1 minus the weight of a missing listed part
 * (score.ts), or omitting a part would score better than misspelling it.
 */
export const LEAST_SIMILARITY = 0.78;

/** Typos are less similar than alternative spellings. */
export const MOST_BY_SLIP = SIMILARITY.spelling - 0.01;
