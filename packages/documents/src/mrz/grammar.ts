// Allowed characters at each position of a zone: digits or letters where only those can be.

import { type FieldName, LAYOUTS, type Span, type ZoneFormat, type ZoneLayout } from './formats.ts';

/** The index is the recognizer's class. */
export const ZONE_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<';

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const FIELD_CHARACTERS: Record<FieldName, string> = {
  code: ZONE_CHARACTERS,
  issuer: `${LETTERS}<`,
  number: ZONE_CHARACTERS,
  nationality: `${LETTERS}<`,
  birth: `${DIGITS}<`,
  sex: 'MF<',
  expiry: `${DIGITS}<`,
  names: `${LETTERS}<`,
  optional: ZONE_CHARACTERS,
  optionalMore: ZONE_CHARACTERS,
};

export type Grammar = readonly string[];

const grammars = new Map<ZoneFormat, Grammar>();

export function createGrammar(format: ZoneFormat): Grammar {
  const known = grammars.get(format);
  if (known) return known;
  const made = makeGrammar(LAYOUTS[format]);
  grammars.set(format, made);
  return made;
}

function makeGrammar(layout: ZoneLayout): Grammar {
  const allowed = new Array<string>(layout.lines * layout.width).fill(DIGITS);
  for (const [field, [from, to]] of Object.entries(layout.spans) as [FieldName, Span][]) {
    allowed.fill(FIELD_CHARACTERS[field], from, to);
  }
  allowed[0] = layout.initials;
  // Only cards have digits in their kind, such as C1 and C2 of the United States, and none has the
  // V of visas.
  allowed[1] = layout.longNumbers ? ZONE_CHARACTERS.replace('V', '') : `${LETTERS}<`;
  // A filler in place of a digit: the number continues elsewhere, or there is none.
  if (layout.longNumbers) allowed[layout.numberDigit] = `${DIGITS}<`;
  if (layout.optionalDigit !== null) allowed[layout.optionalDigit] = `${DIGITS}<`;
  return allowed;
}
