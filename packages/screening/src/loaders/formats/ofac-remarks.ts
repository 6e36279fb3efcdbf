// Parses OFAC's remarks: dates of birth, nationalities, identifiers and weak aliases, separated by
// semicolons.

import type { Identifier } from '../../entity.ts';
import type { IdentifierKind } from '../../identifiers/kinds.ts';
import { addBirthDate, addIdentifier, addName, addNationality, addValue, type EntityDraft } from '../entity-draft.ts';
import { joinSpan, markCirca, readDecade, readEnglishDate } from '../listed-date.ts';

/** OFAC's labels as regular expressions. A label must precede any other that is its prefix. */
const LABELS: readonly [IdentifierKind, ...labels: string[]][] = [
  ['passportNumber', '(?:diplomatic |service |official |stateless person )?passport(?: booklet)?', 'travel document'],
  ['imoNumber', 'vessel registration identification IMO', 'identification number IMO', 'company number IMO', 'IMO'],
  ['mmsi', 'MMSI'],
  ['callSign', 'vessel call sign'],
  ['hullNumber', '(?:vessel )?hull(?: identification)?(?: number)?(?: \\(HIN\\))?'],
  ['swiftBic', 'SWIFT/BIC'],
  ['leiCode', 'legal entity identifier', 'LEI'],
  ['isin', 'ISIN'],
  ['dunsCode', 'D-U-N-S'],
  ['giiNumber', 'global intermediary identification'],
  ['publicKey', 'digital currency address - [A-Z0-9]{2,8}'],
  ['socialSecurityNumber', 'SSN', 'social security'],
  ['bikCode', 'BIK(?: \\(RU\\))?'],
  ['okpoCode', 'government gazette', 'OKPO'],
  ['vatCode', 'V\\.A\\.T\\.'],
  ['taxNumber', 'tax ID', 'NIT', 'R\\.?F\\.?C\\.?', 'RUC', 'RIF', 'RTN', 'C\\.U\\.I\\.T\\.', 'C\\.I\\.F\\.', 'US FEIN'],
  ['taxNumber', 'italian fiscal code', 'numero unico de identificacao tributaria \\(NUIT\\)', 'CNPJ', 'N\\.I\\.E\\.'],
  ['registrationNumber', '(?:business |public |vessel )?registration(?: ID| document)?', 'folio mercantil'],
  ['registrationNumber', 'matricula mercantil', 'commercial registry', '(?:UK )?company', 'C\\.R\\.', 'trade license'],
  ['registrationNumber', 'chamber of commerce', 'enterprise', 'branch unit', 'certificate of incorporation'],
  ['registrationNumber', '(?:united|unified) social credit code(?: certificate)? \\(USCCC?\\)', 'legal entity'],
  ['registrationNumber', 'registered charity', 'business', 'economic register \\(CBLS\\)', 'aircraft tail'],
  ['serialNumber', "aircraft manufacturer's serial number \\(MSN\\)", 'aircraft serial identification'],
  ['serialNumber', 'aircraft construction number(?: \\([^)]*\\))?'],
  ['idNumber', '(?:tazkira )?national ID(?: card)?', 'national foreign ID', 'personal ID card', 'kenyan ID'],
  ['idNumber', 'cedula', 'C\\.U\\.R\\.P\\.', 'C\\.U\\.I\\.P?\\.?', 'D\\.N\\.I\\.', 'I\\.F\\.E\\.', 'residency', 'LE'],
  ['idNumber', '(?:turkish |stateless person )?(?:ID|identification)(?: card)?', 'numero de identidad', 'CPF', 'NIN'],
  ['identifier', "driver's license", 'electoral registry', 'credencial electoral', 'immigration', 'license', 'permit'],
];

const PATTERNS = LABELS.map(([kind, ...labels]) => {
  const pattern = `^(?:alt\\.\\s*)?(?:${labels.join('|')})(?:\\s*(?:no\\.?|number|#|:))*\\s+(.+)$`;
  return { kind, pattern: new RegExp(pattern, 'i') };
});

/** Returns undefined if the remark is not an identifier. */
export function findOfacIdentifier(remark: string): Identifier | undefined {
  for (const { kind, pattern } of PATTERNS) {
    const text = pattern.exec(remark)?.[1];
    if (text === undefined) continue;
    // Drops trailing text: the country in brackets, dates of issue and expiry, another number.
    const value = text.split(/\s*\(|,\s|\s(?:issued|expires)\b/i)[0]!.trim();
    // Texts such as `Registration Pending` are no numbers, but bank codes consist of letters.
    if (/\d/.test(value) || kind === 'swiftBic') return { kind, value };
  }
  return undefined;
}

/** Length at which OFAC cuts remarks, even within a number. The rest is in the comments file. */
const CUT_AT = 1_000;
const BIRTH_DATE = /(?:^|[\s(])DOB:?\s+(.+)$/;
const NATIONALITY = /^(?:alt\.\s*)?(?:nationality|citizen)\s+(?!of\s+registration)(.+)$/i;
const REGISTERED_IN = /^(?:alt\.\s*)?nationality\s+of\s+registration\s+(.+)$/i;
const FLAG = /^(?:alt\.\s*)?(?:(?:former|other)\s+)?vessel\s+flag\s+(.+)$/i;
/** OFAC quotes weak aliases. */
const WEAK_ALIAS = /^\(?(?:alt\.\s*)?[afn]\.k\.a\.,?\s+(['"])(.+)\1\)?$/i;

export function readRemarks(draft: EntityDraft, remarks: string): void {
  const pieces = remarks.split(';');
  if (remarks.length >= CUT_AT && !remarks.endsWith('.')) pieces.pop();
  for (const piece of pieces) readRemark(draft, piece.trim().replace(/\.$/, ''));
}

function readRemark(draft: EntityDraft, remark: string): void {
  const weakAlias = WEAK_ALIAS.exec(remark)?.[2];
  if (weakAlias !== undefined) {
    addName(draft, 'weakNames', weakAlias);
    return;
  }
  const identifier = findOfacIdentifier(remark);
  if (identifier !== undefined) {
    addIdentifier(draft, identifier.kind, identifier.value);
    return;
  }
  addNationality(draft, NATIONALITY.exec(remark)?.[1] ?? '');
  addValue(draft, 'countries', REGISTERED_IN.exec(remark)?.[1] ?? '');
  addFlag(draft, FLAG.exec(remark)?.[1] ?? '');
  const birthDate = BIRTH_DATE.exec(remark)?.[1];
  if (birthDate !== undefined) addBirthDate(draft, birthDate, readOfacDate(birthDate));
}

/** A ship's current and former flags count as countries. */
export function addFlag(draft: EntityDraft, flag: string): void {
  if (!/^(?:none|unknown)\b/i.test(flag)) addValue(draft, 'countries', flag);
}

/** `05 May 1971`, `circa 1960`, `1960 to 1962`, `between 1955 and 1958`, `1970s`. */
export function readOfacDate(text: string): string | null {
  const trimmed = text.trim().replace(/[).]+$/, '');
  const circa = /^(?:circa|approximately|approx\.?|c\.)\s*(.+)$/i.exec(trimmed)?.[1];
  if (circa !== undefined) return markCirca(readOfacDate(circa));
  const span = /^(?:between\s+)?(.+?)\s+(?:to|and)\s+(.+)$/i.exec(trimmed) ?? /^(\d{4})\s*-\s*(\d{4})$/.exec(trimmed);
  if (span !== null) return joinSpan(readEnglishDate(span[1]!.trim()), readEnglishDate(span[2]!.trim()));
  return readDecade(trimmed) ?? readEnglishDate(trimmed);
}
