// Identifiers as people write them: the number alone, or with its kind as in `passport:N123`.
import { IDENTIFIER_KINDS, type IdentifierKind } from './kinds.ts';

const SHORT_NAMES: Readonly<Record<string, IdentifierKind>> = {
  passport: 'passportNumber',
  id: 'idNumber',
  ssn: 'socialSecurityNumber',
  tax: 'taxNumber',
  vat: 'vatCode',
  registration: 'registrationNumber',
  inn: 'innCode',
  ogrn: 'ogrnCode',
  okpo: 'okpoCode',
  kpp: 'kppCode',
  bik: 'bikCode',
  lei: 'leiCode',
  swift: 'swiftBic',
  bic: 'swiftBic',
  duns: 'dunsCode',
  uei: 'uniqueEntityId',
  cage: 'cageCode',
  npi: 'npiCode',
  giin: 'giiNumber',
  imo: 'imoNumber',
  hull: 'hullNumber',
  serial: 'serialNumber',
  wallet: 'publicKey',
  // Schemes of payment URLs.
  bitcoin: 'publicKey',
  ethereum: 'publicKey',
  litecoin: 'publicKey',
  monero: 'publicKey',
  tron: 'publicKey',
  wikidata: 'wikidataId',
};

const KINDS = new Map<string, IdentifierKind>([
  ...Object.entries(SHORT_NAMES),
  ...(Object.keys(IDENTIFIER_KINDS) as IdentifierKind[]).map((kind) => [kind.toLowerCase(), kind] as const),
]);

/** Short names that people may type. */
export const SHORT_KINDS: readonly string[] = Object.keys(SHORT_NAMES);

/** Finds a kind by its full or short name, in any case. */
export function findIdentifierKind(word: string): IdentifierKind | undefined {
  return KINDS.get(word.toLowerCase());
}

/** Returns the kind as written, whether known or not. Callers decide about unknown kinds. */
export function splitIdentifier(text: string): { kind?: string; value: string } {
  const [, kind, value] = /^([A-Za-z]+)\s*:\s*(\S.*)$/.exec(text.trim()) ?? [];
  return kind !== undefined && value !== undefined ? { kind, value: value.trim() } : { value: text.trim() };
}
