// The check digit of machine-readable zones (ICAO Doc 9303 part 3, 4.9): weights 7, 3, 1 over the values
// of the characters, modulo 10.

const WEIGHTS = [7, 3, 1];

const VALUES = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** As a character, for that is what it is compared with. `text` has zone characters only. */
export function checkDigitOf(text: string): string {
  let sum = 0;
  // The filler counts as nothing.
  for (let at = 0; at < text.length; at += 1) sum += WEIGHTS[at % 3]! * Math.max(0, VALUES.indexOf(text[at]!));
  return String(sum % 10);
}
