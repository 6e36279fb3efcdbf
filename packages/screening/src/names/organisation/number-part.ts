// Normalizes numbers in a name to marked digits, so that `1st`, `First`, `I` and `1` are equal.
import { NUMBER_SIGNS } from '../tables/craft-words.ts';
import { COUNTING_WORDS, TENS } from '../tables/number-words.ts';
import { words } from '../tables/words.ts';

const values = new Map<string, number>();
for (const [from, block] of COUNTING_WORDS) {
  for (const [at, word] of words(block).entries()) values.set(word, from + at);
}
const tens = new Map<string, number>();
for (const [value, block] of TENS) for (const word of words(block)) tens.set(word, value);

const numberSigns = new Set(NUMBER_SIGNS);
const ROMAN = /^(?=[mdclxvi]+$)m{0,2}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/;
const ROMAN_VALUES: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1000 };
/** Words and short names that are also numbers. */
const NO_ROMAN = new Set(words('mix dix civ mci mdi cix mcv mcx dcx dci cvi cli'));
/** Endings of a name that are numbers rather than two letters. */
const TENS_IN_TWO_LETTERS = new Set(words('xl xc lx lv'));
const ORDINAL = /^(\d{1,4})(?:st|nd|rd|th|er|ere|eme|ieme|e|o|a|y|ya|oy|aya|yy|iy|go|oe|te|ta|to|inci|nci|uncu)$/;
/** Endings separated from an ordinal by a space or a hyphen: `29-й`, `7 th`. */
const ORDINAL_ENDING = /^(?:st|nd|rd|th|eme|ieme|y|ya|oy|aya|yy|iy|go|oe)$/;
/** Maximum length. Longer numbers are identifiers and as distinctive as names. */
const MAX_DIGITS = 5;

interface ReadNumber {
  digits: string;
  length: number;
}

/** Returns the number at a word and its length. `isLast` if only legal forms follow. */
export function numberAt(texts: readonly string[], at: number, isLast: boolean): ReadNumber | undefined {
  const word = texts[at]!;
  if (/^\d+$/.test(word)) {
    if (word.length > MAX_DIGITS) return undefined;
    return {
      digits: word.replace(/^0+(?=\d)/, ''),
      length: ORDINAL_ENDING.test(texts[at + 1] ?? '') ? 2 : 1,
    };
  }
  const ordinal = ORDINAL.exec(word)?.[1];
  if (ordinal !== undefined) return { digits: String(Number(ordinal)), length: 1 };
  const counted = countAt(texts, at);
  if (counted) return { digits: String(counted.value), length: counted.length };
  const roman = isRoman(texts, at, isLast) ? readRoman(word) : 0;
  return roman > 0 ? { digits: String(roman), length: 1 } : undefined;
}

/** Numbers in words: seven, twenty first, twenty-1st, one hundred and two. */
function countAt(texts: readonly string[], at: number): { value: number; length: number } | undefined {
  const below = countBelowHundred(texts, at);
  const hundreds = below && below.value < 10 && HUNDRED.has(texts[at + below.length] ?? '') ? below : undefined;
  if (!hundreds) return below;
  let length = hundreds.length + 1;
  if (texts[at + length] === 'and' && countBelowHundred(texts, at + length + 1)) length += 1;
  const rest = countBelowHundred(texts, at + length);
  return { value: 100 * hundreds.value + (rest?.value ?? 0), length: length + (rest?.length ?? 0) };
}

const HUNDRED = new Set(words('hundred hundredth'));

function countBelowHundred(texts: readonly string[], at: number): { value: number; length: number } | undefined {
  const word = texts[at] ?? '';
  const ten = tens.get(word);
  if (ten === undefined) {
    const value = values.get(word);
    return value === undefined ? undefined : { value, length: 1 };
  }
  const next = texts[at + 1] ?? '';
  const unit = values.get(next) ?? Number(ORDINAL.exec(next)?.[1] ?? 0);
  return unit > 0 && unit < 10 ? { value: ten + unit, length: 2 } : { value: ten, length: 1 };
}

/** Unambiguous Roman numerals: one letter, or two tens, at the end or after a sign. */
function isRoman(texts: readonly string[], at: number, isLast: boolean): boolean {
  const word = texts[at]!;
  if (word.length === 1) return at > 0 && (isLast || numberSigns.has(texts[at - 1]!)) && /[ivx]/.test(word);
  if (NO_ROMAN.has(word)) return false;
  if (/^[ivx]+$/.test(word)) {
    // At the start it counts what follows, except in the city of Xi An.
    return at > 0 || (texts.length > 1 && !(word === 'xi' && texts[1] === 'an'));
  }
  if (word.length === 2) return at > 0 && isLast && TENS_IN_TWO_LETTERS.has(word);
  return /[ivx]/.test(word) && texts.length > 1;
}

function readRoman(word: string): number {
  if (!ROMAN.test(word)) return 0;
  let sum = 0;
  for (let at = 0; at < word.length; at += 1) {
    const value = ROMAN_VALUES[word.charAt(at)]!;
    sum += value < (ROMAN_VALUES[word.charAt(at + 1)] ?? 0) ? -value : value;
  }
  return sum;
}
