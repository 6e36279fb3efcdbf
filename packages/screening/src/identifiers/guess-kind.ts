// Guesses the kind of an identifier from its value.
import type { IdentifierKind } from './kinds.ts';
import { readLabel } from './labels.ts';

/** Returns a specific kind only if hardly anything else is possible. */
export function guessKind(text: string): IdentifierKind {
  const value = text.trim().toUpperCase();
  const labeled = readLabel(value);
  if (labeled) return labeled.kind;
  if (/^[0-9A-Z]{18}\d{2}$/.test(value) && isLei(value)) return 'leiCode';
  if (/^[A-Z]{2}[0-9A-Z]{9}\d$/.test(value) && isCountry(value.slice(0, 2)) && isIsin(value)) return 'isin';
  if (/^[A-Z]{6}[0-9A-Z]{2}(?:[0-9A-Z]{3})?$/.test(value) && isCountry(value.slice(4, 6))) return 'swiftBic';
  if (/^0X[0-9A-F]{40}$/.test(value) || /^BC1[0-9A-Z]{25,80}$/.test(value)) return 'publicKey';
  return 'identifier';
}

/** ISO 17442: with letters as 10 to 35, the number modulo 97 is 1. */
function isLei(value: string): boolean {
  return Array.from(toDigits(value)).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1;
}

/** ISO 6166: letters as 10 to 35, every second digit from the right doubled. */
function isIsin(value: string): boolean {
  const digits = Array.from(toDigits(value), Number).reverse();
  const summands = digits.map((digit, at) => (at % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9));
  return summands.reduce((sum, summand) => sum + summand, 0) % 10 === 0;
}

function toDigits(value: string): string {
  return value.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
}

/** Created on first use, because it takes 15 ms or more per thread. */
let regions: Intl.DisplayNames | undefined;

/** `XS` marks securities that are cleared internationally. */
function isCountry(code: string): boolean {
  regions ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  return code === 'XS' || regions.of(code) !== undefined;
}
