// Decides whether an equal number identifies one holder by itself, or may belong to someone else in
// another country or register.
import type { IdentifierKind } from './kinds.ts';

/** Minimum significant length of nationally issued numbers to be distinctive. */
const LEAST_OF_NATIONAL: Partial<Record<IdentifierKind, number>> = {
  passportNumber: 7,
  idNumber: 7,
  socialSecurityNumber: 8,
  taxNumber: 8,
  vatCode: 8,
  registrationNumber: 8,
};
/** Minimum if neither side states the kind: any number of any country. */
const LEAST_OF_UNKNOWN = 9;
/** Weight of a letter relative to a digit. */
const LETTER_COUNTS = 1.4;

/** Documents that people living abroad also hold, so a different country is no contradiction. */
const DOCUMENTS = new Set<IdentifierKind>(['passportNumber', 'idNumber', 'socialSecurityNumber']);

export interface EqualNumber {
  /** Kinds on both sides. Undefined or `identifier` if unknown. */
  kinds: readonly [IdentifierKind | undefined, IdentifierKind];
  normalised: string;
  isOtherCountry: boolean;
}

/** Returns true for codes that are issued once worldwide. */
export function isTelling({ kinds, normalised: normalized, isOtherCountry }: EqualNumber): boolean {
  const known = kinds.filter((kind) => kind !== undefined && kind !== 'identifier');
  const least = known.map((kind) => LEAST_OF_NATIONAL[kind]).filter((length) => length !== undefined);
  if (known.length > 0 && least.length < known.length) return true;
  if (isOtherCountry && !known.some((kind) => DOCUMENTS.has(kind))) return false;
  return significantLength(normalized) >= Math.max(LEAST_OF_UNKNOWN * (known.length === 0 ? 1 : 0), ...least);
}

/**
 * Returns whether a single register issues such numbers, worldwide or for life. An equal number
 * then outweighs a different country.
 */
export function isOfOneRegister(kinds: EqualNumber['kinds']): boolean {
  const known = kinds.filter((kind) => kind !== undefined && kind !== 'identifier');
  return known.length > 0 && known.every((kind) => LEAST_OF_NATIONAL[kind] === undefined);
}

/** Leading zeros are padding. */
function significantLength(normalized: string): number {
  return Array.from(normalized.replace(/^0+/, '')).reduce(
    (sum, character) => sum + (/\d/.test(character) ? 1 : LETTER_COUNTS),
    0,
  );
}
