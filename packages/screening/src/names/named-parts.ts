// A name without the forms of address around it.
import { classifyPart, TOKEN_TITLE } from './part-class.ts';
import { isCore } from './part-weight.ts';

/**
 * Titles are left out where two full parts remain: Dr. Ayman Zawahiri is Ayman Zawahiri, but Imam Samudra is not Samudra.
 */
export function namedParts<Part extends { text: string; vowelless: boolean }>(written: Part[]): Part[] {
  const parts = written.some(({ text }) => /\d/.test(text)) ? written.map(readDigits) : written;
  const isTitle = (part: Part) => (classifyPart(part.text, part.vowelless) & TOKEN_TITLE) !== 0;
  const named = parts.filter((part) => !isTitle(part));
  const full = named.filter((part) => isCore(classifyPart(part.text, part.vowelless)));
  return full.length >= 2 ? named : parts;
}

/** A digit among letters stands for the letter that it looks like: Ig0r. Ordinals are shorter. */
const SWAPPED = /^(?=.{4})(?=.*[a-z].*[a-z])(?:[a-z]+\d|\d+[a-z])/;
const LOOKS_LIKE: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b' };

function readDigits<Part extends { text: string }>(part: Part): Part {
  if (!SWAPPED.test(part.text)) return part;
  return { ...part, text: part.text.replace(/\d/g, (digit) => LOOKS_LIKE[digit] ?? digit) };
}
