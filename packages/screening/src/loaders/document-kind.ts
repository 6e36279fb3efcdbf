// Parses documents that lists describe in words: `Afghan national identification card (tazkira)
// number 300786`.
import type { IdentifierKind } from '../identifiers/kinds.ts';
import { cleanText } from './entity-draft.ts';

/** The first match wins. */
const KINDS: readonly [RegExp, IdentifierKind][] = [
  [/pass\s?port|passeport|pasaporte|travel\s?doc/i, 'passportNumber'],
  [/\bIMO\b/i, 'imoNumber'],
  [/\bMMSI\b/i, 'mmsi'],
  [/\bhull\b|\bHIN\b/i, 'hullNumber'],
  [/swift|\bBIC\b/i, 'swiftBic'],
  [/\bLEI\b|legal entity identifier/i, 'leiCode'],
  [/\bISIN\b/i, 'isin'],
  [/\bINN\b/i, 'innCode'],
  [/\bOGRN\b|primary state registration/i, 'ogrnCode'],
  [/\bOKPO\b/i, 'okpoCode'],
  [/\bKPP\b/i, 'kppCode'],
  [/\bBIK\b/i, 'bikCode'],
  [/social\s?security|\bssn\b/i, 'socialSecurityNumber'],
  [/\bV\.?A\.?T\b/i, 'vatCode'],
  [/\btax|\bTIN\b|fiscal/i, 'taxNumber'],
  [/driv|\bbirth|\bration\b|student|nationality|election|voter/i, 'identifier'],
  [/reg\s?number|registration|registry|trade\s?lic|company n/i, 'registrationNumber'],
  [/identi|national n|\bID\b/i, 'idNumber'],
];

export function findDocumentKind(words: string): IdentifierKind | undefined {
  return KINDS.find(([pattern]) => pattern.test(words))?.[1];
}

/** Strips the words before the number and the remarks after it. */
export function stripNumberLabel(text: string): string {
  const remaining = cleanText(text.replace(/\([^()]*\)/g, ' '));
  const [number = ''] = remaining.split(/,\s|\s(?:issued|expires|expired|valid)\b/i);
  // A label, or the words before the first part with a digit: `German travel document A 0139243`.
  const behindLabel = /^.*(?:\b(?:number|no|nr|n°)\b[.:]*|[:#])\s*(?=\S)(.*\d.*)$/i.exec(number)?.[1] ?? number;
  return behindLabel.replace(/^(?:(?:\p{L}{4,}|ID|IMO|INN|KPP|LEI|TIN|VAT)[\s.:]+)+(?=.*\d)/u, '').trim();
}
