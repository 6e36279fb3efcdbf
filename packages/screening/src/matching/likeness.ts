// How alike two name parts are, and in which way: the ways an analyst is told about.
import { editCost } from '../names/edit-cost.ts';
import { MIN_LENGTH_FOR_EDITS } from '../names/part-keys.ts';

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

/** Similarity of parts that are known to be the same name, by the way in which they differ. */
export const SIMILARITY = {
  spelling: 0.97,
  /** Of a Cyrillic name, by the rules of two languages. */
  transcription: 0.98,
  otherForm: 0.94,
  shortForm: 0.86,
  nickname: 0.91,
  /** In a script without vowels, a name that is known; one that can be read so; one that has the same consonants. */
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
 * Less similar parts do not count as matched. Not below 1 minus the weight of a missing listed part (score.ts), or
 * leaving a part out would score better than misspelling it.
 */
export const LEAST_SIMILARITY = 0.78;

/** What is misspelled is less alike than what is spelled in another way. */
export const MOST_BY_SLIP = SIMILARITY.spelling - 0.01;
/** Share of similarity that the edits of a whole part would cost. */
const EDIT_WEIGHT = 0.72;
/** People seldom get the first letter wrong, and hardly ever another one besides. */
const FIRST_LETTER = 0.03;
export const ONE_SLIP = 1.2;
/** Alike enough as written; how it is spoken cannot add much. */
const CLOSE = 0.9;
/** `Maria` and `Mario`, `Jing` and `Ying` are two names each, not one misspelled; only one vowel may differ. */
const BOTH_ESTABLISHED = 0.07;
export const BOTH_ESTABLISHED_COST = 0.4;
/** Where the rest speaks for the same person: as many slips as this share of the letters, in a word that is no name. */
const LOOSE_SIMILARITY = 0.62;
const LOOSE_SHARE = 0.4;

/** Similarity by spelling alone, or 0 where it is too far off. Texts are ASCII codes. */
export function spellingSimilarity(
  text: Uint8Array,
  canonical: Uint8Array,
  listed: Uint8Array,
  from: number,
  to: number,
  listedCanonical: Uint8Array,
  canonicalFrom: number,
  canonicalTo: number,
  bothEstablished: boolean,
  loosely = false,
): number {
  const length = Math.max(text.length, to - from);
  if (Math.min(text.length, to - from) < MIN_LENGTH_FOR_EDITS - 1 || length < MIN_LENGTH_FOR_EDITS) return 0;
  const least = loosely ? LOOSE_SIMILARITY : LEAST_SIMILARITY;
  const limit = bothEstablished ? BOTH_ESTABLISHED_COST : slipsAllowed(Math.min(text.length, to - from), loosely);
  let cost = editCost(text, 0, text.length, listed, from, to, limit);
  let similarity = 1 - (EDIT_WEIGHT * cost) / length;
  if (similarity < CLOSE) {
    const spokenLength = Math.max(canonical.length, canonicalTo - canonicalFrom);
    const spoken = editCost(canonical, 0, canonical.length, listedCanonical, canonicalFrom, canonicalTo, limit);
    cost = Math.min(cost, spoken);
    similarity = Math.max(similarity, 1 - (EDIT_WEIGHT * spoken) / spokenLength);
  }
  if (text[0] !== listed[from] && canonical[0] !== listedCanonical[canonicalFrom]) {
    if (cost > ONE_SLIP && !loosely) return 0;
    similarity -= FIRST_LETTER;
  }
  if (bothEstablished) similarity -= BOTH_ESTABLISHED;
  return similarity < least ? 0 : Math.min(similarity, MOST_BY_SLIP);
}

/** One slip in a short part, two in a long one; more make it another name. */
export function slipsAllowed(length: number, loosely: boolean): number {
  if (loosely) return Math.min(2.2, LOOSE_SHARE * length);
  if (length >= 8) return 2.2;
  return length >= 6 ? 1.6 : 1;
}

/** As many letters as may differ in parts that are merely near one another, and which share of them. */
export const NEAR_COST = 2.2;
const NEAR_SHARE = 0.36;

/** How near two parts are that may well be two names: a lead, where everything else agrees. 0 where they are not. */
export function nearness(text: Uint8Array, listed: Uint8Array, from: number, to: number): number {
  const length = Math.max(text.length, to - from);
  const limit = Math.min(NEAR_COST, NEAR_SHARE * length);
  const cost = editCost(text, 0, text.length, listed, from, to, limit);
  return cost === Number.POSITIVE_INFINITY ? 0 : 1 - cost / length;
}
