// Reads the numbers in a name, so that `1st`, `First`, `I` and `1` are the same: as digits behind a mark.
import { COUNTING_WORDS, TENS } from '../tables/number-words.ts';
import { words } from '../tables/words.ts';

const values = new Map<string, number>();
for (const [from, block] of COUNTING_WORDS) {
  for (const [at, word] of words(block).entries()) values.set(word, from + at);
}
const tens = new Map<string, number>();
for (const [value, block] of TENS) for (const word of words(block)) tens.set(word, value);

const ROMAN = /^(?=[ivx]+$)(x{0,3})(ix|iv|v?i{0,3})$/;
const ROMAN_VALUES: Record<string, number> = { i: 1, v: 5, x: 10 };
const ORDINAL = /^(\d{1,4})(?:st|nd|rd|th|er|eme|e|o|a)$/;
/** Longer ones are identifiers and say which one it is, as a name does. */
const MAX_DIGITS = 5;

/** The number that begins at a word, and how many words it takes; `isLast` where nothing but a legal form follows. */
export function numberAt(
  texts: readonly string[],
  at: number,
  isLast: boolean,
): { digits: string; length: number } | undefined {
  const word = texts[at]!;
  if (/^\d+$/.test(word)) {
    return word.length > MAX_DIGITS ? undefined : { digits: word.replace(/^0+(?=\d)/, ''), length: 1 };
  }
  const ordinal = ORDINAL.exec(word)?.[1];
  if (ordinal !== undefined) return { digits: String(Number(ordinal)), length: 1 };
  const ten = tens.get(word);
  if (ten !== undefined) {
    const unit = values.get(texts[at + 1] ?? '');
    return unit !== undefined && unit < 10
      ? { digits: String(ten + unit), length: 2 }
      : { digits: String(ten), length: 1 };
  }
  const value = values.get(word);
  if (value !== undefined) return { digits: String(value), length: 1 };
  // A single letter may be anything elsewhere.
  if (at > 0 && (word.length > 1 || isLast)) {
    const roman = readRoman(word);
    if (roman > 0) return { digits: String(roman), length: 1 };
  }
  return undefined;
}

function readRoman(word: string): number {
  if (word.length > 6 || !ROMAN.test(word)) return 0;
  let sum = 0;
  for (let at = 0; at < word.length; at += 1) {
    const value = ROMAN_VALUES[word.charAt(at)]!;
    sum += value < (ROMAN_VALUES[word.charAt(at + 1)] ?? 0) ? -value : value;
  }
  return sum;
}
