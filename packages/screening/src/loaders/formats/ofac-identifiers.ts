// Finds the identifiers in OFAC's remarks: `Passport K754050 (Iran) issued 26 May 1999`, `NIT # 800146749-7 (Colombia)`.
import type { Identifier } from '../../entity.ts';
import type { IdentifierKind } from '../../identifiers/kinds.ts';

/** OFAC's own labels, as regular expressions. A label that begins like another one stands before it. */
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

/** Undefined for a remark that is something else. */
export function findOfacIdentifier(remark: string): Identifier | undefined {
  for (const { kind, pattern } of PATTERNS) {
    const text = pattern.exec(remark)?.[1];
    if (text === undefined) continue;
    // Behind the number: the country in brackets, days of issue and expiry, another number.
    const value = text.split(/\s*\(|,\s|\s(?:issued|expires)\b/i)[0]!.trim();
    // Words such as `Registration Pending` are no numbers; codes of banks are letters alone.
    if (/\d/.test(value) || kind === 'swiftBic') return { kind, value };
  }
  return undefined;
}
