// Classifies name parts, which determines how much they say about a person's identity.
import { ACRONYM_MARK, CODE_MARK, LEGAL_MARK, NUMBER_MARK } from './organisation/marks.ts';
import { GENERIC_BUSINESS_WORDS, OTHER_WORDS_OF_TRADE } from './tables/business-words.ts';
import { COMMON, VERY_COMMON } from './tables/common-parts.ts';
import { LEGAL_FORM_WORDS } from './tables/legal-forms.ts';
import { ORGANIZATION_SYNONYMS } from './tables/organisation-synonyms.ts';
import {
  LOW_VALUE,
  PARTICLES,
  PATRONYMIC_MARKERS,
  PATRONYMIC_SUFFIXES,
  TITLE_SURNAMES,
  TITLES,
} from './tables/particles.ts';
import { PLACE_WORDS } from './tables/place-words.ts';

export const TOKEN_VOWELLESS = 1;
/** Words such as `al`, `bin`, `van`: often omitted, moved or attached. */
export const TOKEN_PARTICLE = 2;
export const TOKEN_TITLE = 4;
export const TOKEN_PATRONYMIC = 8;
/** `llc`, `trading`: in thousands of organizations' names. */
export const TOKEN_BUSINESS = 16;
export const TOKEN_INITIAL = 32;
/** A common name, so a near miss is more likely another name than a typo. */
export const TOKEN_ESTABLISHED = 64;
/** Set when the name of an organization, a ship or an aircraft is split. */
export const TOKEN_LEGAL = 128;
export const TOKEN_NUMBER = 256;
export const TOKEN_ACRONYM = 512;
/** A country or region. Only for organizations, because people may be called Jordan. */
export const TOKEN_PLACE = 1024;
export const TOKEN_CODE = 2048;
/** A generic word in any language. It may be omitted next to a name. */
export const TOKEN_TRADE = 4096;

const MARKED = new Map([
  [LEGAL_MARK, TOKEN_LEGAL],
  [NUMBER_MARK, TOKEN_NUMBER],
  [ACRONYM_MARK, TOKEN_ACRONYM],
  [CODE_MARK, TOKEN_CODE],
]);

const LINKING_WORDS = ['and', 'of', 'the', 'for', 'imeni'];
/** Sultan, Haji and Hafiz are so frequent that they count as the most common names. */
const veryCommon = new Set([...VERY_COMMON, ...LOW_VALUE]);
const common = new Set([...COMMON, ...TITLE_SURNAMES]);
/** May be initials, or a truncated word. */
const ABBREVIATION = /^[bcdfghjklmnpqrstvwxz]{2,3}$/;

/** Generic words with their translations. */
function wordsOfTrade(): string[] {
  const generic = new Set([...GENERIC_BUSINESS_WORDS, ...OTHER_WORDS_OF_TRADE]);
  const translated = ORGANIZATION_SYNONYMS.map((line) => line.split(' ')).filter((line) =>
    line.some((word) => generic.has(word)),
  );
  return [...new Set([...generic, ...translated.flat()])].filter((word) => !ABBREVIATION.test(word));
}

const patronymic = new RegExp(`[a-z]{2}(?:${PATRONYMIC_SUFFIXES.join('|')})$`);

/** Flags of every word in the tables, for a single lookup. */
const flagsOfWords = new Map<string, number>();
for (const [flag, ...tables] of [
  [TOKEN_PARTICLE, PARTICLES, PATRONYMIC_MARKERS, LINKING_WORDS],
  [TOKEN_TITLE, TITLES],
  [TOKEN_BUSINESS, LEGAL_FORM_WORDS, GENERIC_BUSINESS_WORDS],
  [TOKEN_PLACE, PLACE_WORDS],
  [TOKEN_TRADE, wordsOfTrade()],
  [TOKEN_ESTABLISHED, [...veryCommon], [...common]],
] as const) {
  for (const word of tables.flat()) flagsOfWords.set(word, (flagsOfWords.get(word) ?? 0) | flag);
}

export function classifyPart(text: string, vowelless: boolean): number {
  // Marks sort before letters.
  if (text.charCodeAt(0) < 0x61) {
    const marked = MARKED.get(text.charAt(0));
    if (marked !== undefined) return marked;
  }
  const initial = text.length === 1 ? TOKEN_INITIAL : 0;
  if (vowelless) return initial | TOKEN_VOWELLESS;
  const flags = initial | (flagsOfWords.get(text) ?? 0);
  return text.length > 6 && patronymic.test(text) ? flags | TOKEN_PATRONYMIC : flags;
}

/** Returns the share of people with this name part, as far as the tables know. */
export function generalFrequency(text: string): number {
  if (veryCommon.has(text)) return 1 / 250;
  return common.has(text) ? 1 / 1_500 : 1 / 20_000;
}

/** Returns whether the tables contain it as a common name. */
export function isCommonName(text: string): boolean {
  return veryCommon.has(text) || common.has(text);
}
