// What kind of word a name part is, which decides how much it says about who is meant.
import { COMMON, VERY_COMMON } from './tables/common-parts.ts';
import { GENERIC_BUSINESS_WORDS, LEGAL_FORMS } from './tables/organisation-words.ts';
import { LOW_VALUE, PARTICLES, PATRONYMIC_MARKERS, PATRONYMIC_SUFFIXES, TITLES } from './tables/particles.ts';

export const TOKEN_VOWELLESS = 1;
/** Words like `al`, `bin`, `van`: often left out, moved or glued. */
export const TOKEN_PARTICLE = 2;
export const TOKEN_TITLE = 4;
export const TOKEN_PATRONYMIC = 8;
/** `llc`, `trading`: in thousands of names of organisations. */
export const TOKEN_BUSINESS = 16;
export const TOKEN_INITIAL = 32;
/** A name that people are known to bear, so a near miss of it is more likely another name than a slip. */
export const TOKEN_ESTABLISHED = 64;

const LINKING_WORDS = ['and', 'of', 'the', 'for'];
const particles = new Set([...PARTICLES, ...PATRONYMIC_MARKERS, ...LINKING_WORDS]);
const titles = new Set(TITLES);
const businessWords = new Set([...LEGAL_FORMS, ...GENERIC_BUSINESS_WORDS]);
/** Sultan, Haji or Prince is in so many names that it counts like the most common ones. */
const veryCommon = new Set([...VERY_COMMON, ...LOW_VALUE]);
const common = new Set(COMMON);
const patronymic = new RegExp(`[a-z]{2}(?:${PATRONYMIC_SUFFIXES.join('|')})$`);

export function classifyPart(text: string, vowelless: boolean): number {
  let flags = vowelless ? TOKEN_VOWELLESS : 0;
  if (text.length === 1) flags |= TOKEN_INITIAL;
  if (vowelless) return flags;
  if (particles.has(text)) flags |= TOKEN_PARTICLE;
  if (titles.has(text)) flags |= TOKEN_TITLE;
  if (businessWords.has(text)) flags |= TOKEN_BUSINESS;
  if (text.length > 6 && patronymic.test(text)) flags |= TOKEN_PATRONYMIC;
  if (veryCommon.has(text) || common.has(text)) flags |= TOKEN_ESTABLISHED;
  return flags;
}

/** Share of people who bear this part, as far as the tables know. */
export function generalFrequency(text: string): number {
  if (veryCommon.has(text)) return 1 / 250;
  return common.has(text) ? 1 / 1_500 : 1 / 20_000;
}

/** Whether the tables know it as a name that many people bear. */
export function isCommonName(text: string): boolean {
  return veryCommon.has(text) || common.has(text);
}
