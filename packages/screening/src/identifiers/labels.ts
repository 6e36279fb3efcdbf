// Words next to a number that state its kind: `INN 7707083893`, `Passport no. 750012345`, `9074729
// IMO`.
import type { IdentifierKind } from './kinds.ts';

/** Labels in upper case, with at least three letters: two may be the series of a document. */
const LABELS: Partial<Record<IdentifierKind, readonly string[]>> = {
  passportNumber: ['PASSPORT', 'PASSEPORT', 'PASAPORTE', 'PASSAPORTE', 'PASSAPORTO', 'REISEPASS', 'ПАСПОРТ'],
  idNumber: ['NATIONAL ID', 'ID CARD', 'CURP', 'DNI', 'NIE', 'PESEL', 'CNIC'],
  socialSecurityNumber: ['SSN', 'SNILS', 'СНИЛС'],
  taxNumber: ['TAX', 'TIN', 'EIN', 'CPF', 'CNPJ', 'RUC', 'NIT', 'CUIT', 'CUIL', 'RFC', 'RIF', 'NIF', 'NIP'],
  vatCode: ['VAT'],
  registrationNumber: ['REGISTRATION', 'EDRPOU', 'ЄДРПОУ', 'KRS', 'SIREN', 'SIRET'],
  innCode: ['INN', 'ИНН'],
  ogrnCode: ['OGRN', 'ОГРН'],
  okpoCode: ['OKPO', 'ОКПО'],
  kppCode: ['KPP', 'КПП'],
  bikCode: ['BIK', 'БИК'],
  leiCode: ['LEI'],
  swiftBic: ['SWIFT/BIC', 'BIC/SWIFT', 'SWIFT', 'BIC'],
  isin: ['ISIN'],
  dunsCode: ['DUNS', 'D-U-N-S'],
  uniqueEntityId: ['UEI'],
  imoNumber: ['IMO'],
  mmsi: ['MMSI'],
};
const KIND_OF = new Map(
  Object.entries(LABELS).flatMap(([kind, words]) => words.map((word) => [word, kind as IdentifierKind])),
);

const ANY_LABEL = `(${[...KIND_OF.keys()].join('|')})`;
const NUMBER_WORD = '(?:[^\\p{L}\\p{N}]*(?:NO|NR|NUMBER|CODE|ID)(?!\\p{L}))?';
const BETWEEN = '[^\\p{L}\\p{N}]+';
/** Attached labels count only before digits alone, because letters may be part of the number. */
const BEFORE = new RegExp(
  `^[^\\p{L}\\p{N}]*${ANY_LABEL}${NUMBER_WORD}(?:${BETWEEN}(?=[\\p{L}\\p{N}])|(?=\\d{7,}$))`,
  'u',
);
const BEHIND = new RegExp(`(?:${BETWEEN}|(?<=^\\d{7,}))${ANY_LABEL}[^\\p{L}\\p{N}]*$`, 'u');

export interface LabeledNumber {
  kind: IdentifierKind;
  /** Number without the label. */
  number: string;
}

/** Returns null if there is no label. `text` must be in upper case. */
export function readLabel(text: string): LabeledNumber | null {
  const [found, label = ''] = BEFORE.exec(text) ?? BEHIND.exec(text) ?? [];
  const kind = KIND_OF.get(label);
  if (found === undefined || kind === undefined) return null;
  const number = text.replace(found, '');
  // The rest of `passport expired` is no number, but a bank code may consist of letters.
  return kind === 'swiftBic' || /\p{N}/u.test(number) ? { kind, number } : null;
}
