// Whether an equal number means one holder by itself, or might as well be somebody else's of another country or register.
import type { IdentifierKind } from './kinds.ts';

/** Numbers that each country gives for itself: how many characters keep two of them apart. */
const LEAST_OF_NATIONAL: Partial<Record<IdentifierKind, number>> = {
  passportNumber: 7,
  idNumber: 7,
  socialSecurityNumber: 8,
  taxNumber: 8,
  vatCode: 8,
  registrationNumber: 8,
};
/** Where neither side says what it is: any number of any country. */
const LEAST_OF_UNKNOWN = 9;
/** A letter tells a little more than a digit does. */
const LETTER_COUNTS = 1.4;

/** Documents of people who live elsewhere: another country does not speak against them. */
const DOCUMENTS = new Set<IdentifierKind>(['passportNumber', 'idNumber', 'socialSecurityNumber']);

export interface EqualNumber {
  /** Undefined and `identifier` where it is not known. */
  kinds: readonly [IdentifierKind | undefined, IdentifierKind];
  normalised: string;
  isOtherCountry: boolean;
}

/** Codes that are given out once for the whole world always are. */
export function isTelling({ kinds, normalised, isOtherCountry }: EqualNumber): boolean {
  const known = kinds.filter((kind) => kind !== undefined && kind !== 'identifier');
  const least = known.map((kind) => LEAST_OF_NATIONAL[kind]).filter((length) => length !== undefined);
  if (known.length > 0 && least.length < known.length) return true;
  if (isOtherCountry && !known.some((kind) => DOCUMENTS.has(kind))) return false;
  return charactersOf(normalised) >= Math.max(LEAST_OF_UNKNOWN * (known.length === 0 ? 1 : 0), ...least);
}

/** Whether one register gives such numbers, for the whole world or for life: a country then says little about an equal one. */
export function isOfOneRegister(kinds: EqualNumber['kinds']): boolean {
  const known = kinds.filter((kind) => kind !== undefined && kind !== 'identifier');
  return known.length > 0 && known.every((kind) => LEAST_OF_NATIONAL[kind] === undefined);
}

/** Zeros in front only fill up. */
function charactersOf(normalised: string): number {
  return Array.from(normalised.replace(/^0+/, '')).reduce((sum, one) => sum + (/\d/.test(one) ? 1 : LETTER_COUNTS), 0);
}
