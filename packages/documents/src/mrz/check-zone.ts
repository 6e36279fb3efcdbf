// Verifies the check digits of a zone: of its fields, and the composite one.
import type { Span, ZoneLayout } from './formats.ts';

// Check digits of machine-readable zones (ICAO Doc 9303 part 3, 4.9): weights 7, 3, 1 over the
// characters' values, modulo 10.

const WEIGHTS = [7, 3, 1];

const VALUES = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns a character, because it is compared with one. `text` contains zone characters only. */
export function computeCheckDigit(text: string): string {
  let sum = 0;
  // The filler counts as zero.
  for (let at = 0; at < text.length; at += 1) sum += WEIGHTS[at % 3]! * Math.max(0, VALUES.indexOf(text[at]!));
  return String(sum % 10);
}

export type CheckName = 'number' | 'birth' | 'expiry' | 'optional' | 'composite';

/** Returns the first failed check, or null. `text`: the joined lines of the zone. */
export function findFailedCheck(text: string, layout: ZoneLayout): CheckName | null {
  const take = ([from, to]: Span) => text.slice(from, to);
  const holds = (span: Span, digit: number) => computeCheckDigit(take(span)) === text[digit];
  const { spans, optionalDigit, compositeDigit } = layout;
  if (!isNumberChecked(text, layout)) return 'number';
  if (!holds(spans.birth, layout.birthDigit)) return 'birth';
  if (!holds(spans.expiry, layout.expiryDigit)) return 'expiry';
  if (optionalDigit !== null && !holds(spans.optional, optionalDigit)) {
    // Without content, a filler is allowed (ICAO Doc 9303 part 4, 4.2.2.2).
    if (text[optionalDigit] !== '<' || /[^<]/.test(take(spans.optional))) return 'optional';
  }
  if (compositeDigit === null) return null;
  return computeCheckDigit(layout.composite.map(take).join('')) === text[compositeDigit] ? null : 'composite';
}

/** Returns the complete number, including its continuation; null if malformed. */
export function readNumber(text: string, layout: ZoneLayout): { number: string; rest: string } | null {
  const { number, optional } = layout.spans;
  const first = text.slice(...number);
  const data = text.slice(...optional);
  if (text[layout.numberDigit] !== '<') return { number: first.replace(/<+$/, ''), rest: data };
  const end = data.indexOf('<') < 0 ? data.length : data.indexOf('<');
  // At least one more character of the number, and the digit.
  if (!layout.longNumbers || first.endsWith('<') || end < 2) return null;
  return { number: first + data.slice(0, end - 1), rest: data.slice(end) };
}

function isNumberChecked(text: string, layout: ZoneLayout): boolean {
  const { number, optional } = layout.spans;
  const first = text.slice(...number);
  if (text[layout.numberDigit] !== '<') return computeCheckDigit(first) === text[layout.numberDigit];
  const long = readNumber(text, layout);
  if (!long) return false;
  const digit = text[optional[0] + long.number.length - 9];
  // Issuers disagree on whether the filler between the parts counts; the standard's own example is
  // valid either way.
  return computeCheckDigit(long.number) === digit || computeCheckDigit(`${first}<${long.number.slice(9)}`) === digit;
}
