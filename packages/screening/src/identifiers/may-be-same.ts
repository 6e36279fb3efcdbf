// Whether identifiers of two kinds may be one and the same: lists and registers do not always call a number by one name.
import type { IdentifierKind } from './kinds.ts';

/**
 * For each kind those that its number also goes under. A national identity number is the tax number in many countries, and
 * lists put any document under `idNumber`; a passport is never a tax number, nor an INN an OGRN.
 */
const ALSO_CALLED: Partial<Record<IdentifierKind, readonly IdentifierKind[]>> = {
  idNumber: [
    'passportNumber',
    'socialSecurityNumber',
    'taxNumber',
    'vatCode',
    'registrationNumber',
    'innCode',
    'ogrnCode',
  ],
  taxNumber: ['vatCode', 'innCode', 'socialSecurityNumber', 'registrationNumber'],
  vatCode: ['innCode'],
  registrationNumber: ['vatCode', 'innCode', 'ogrnCode', 'okpoCode', 'hullNumber'],
};

/** A kind that is not known may be any. */
export function mayBeSame(one: IdentifierKind | undefined, other: IdentifierKind): boolean {
  if (one === undefined || one === other || one === 'identifier' || other === 'identifier') return true;
  return isAlsoCalled(one, other) || isAlsoCalled(other, one);
}

function isAlsoCalled(kind: IdentifierKind, other: IdentifierKind): boolean {
  return ALSO_CALLED[kind]?.includes(other) ?? false;
}
