// Kinds of identifiers in lists, named as in FollowTheMoney.

/**
 * `strong` identifiers are issued to one holder only, so an equal one means the same holder,
 * even if the name differs. The others are shared, reused or short, and only support a name.
 */
export const IDENTIFIER_KINDS = {
  passportNumber: { strong: true, says: 'passport number' },
  idNumber: { strong: true, says: 'identity number' },
  socialSecurityNumber: { strong: true, says: 'social security number' },
  taxNumber: { strong: true, says: 'tax number' },
  vatCode: { strong: true, says: 'VAT number' },
  registrationNumber: { strong: true, says: 'registration number' },
  innCode: { strong: true, says: 'INN' },
  ogrnCode: { strong: true, says: 'OGRN' },
  okpoCode: { strong: false, says: 'OKPO' },
  kppCode: { strong: false, says: 'KPP' },
  bikCode: { strong: true, says: 'BIK' },
  leiCode: { strong: true, says: 'LEI' },
  swiftBic: { strong: true, says: 'SWIFT code' },
  isin: { strong: true, says: 'ISIN' },
  dunsCode: { strong: true, says: 'D-U-N-S number' },
  uniqueEntityId: { strong: true, says: 'UEI' },
  cageCode: { strong: false, says: 'CAGE code' },
  npiCode: { strong: true, says: 'NPI' },
  giiNumber: { strong: true, says: 'GIIN' },
  imoNumber: { strong: true, says: 'IMO number' },
  mmsi: { strong: true, says: 'MMSI' },
  callSign: { strong: false, says: 'call sign' },
  /** Each yard numbers its own hulls. */
  hullNumber: { strong: false, says: 'hull number' },
  serialNumber: { strong: false, says: 'serial number' },
  publicKey: { strong: true, says: 'wallet address' },
  wikidataId: { strong: true, says: 'Wikidata id' },
  /** The list does not state the kind. */
  identifier: { strong: true, says: 'identifier' },
} as const satisfies Record<string, { strong: boolean; says: string }>;

export type IdentifierKind = keyof typeof IDENTIFIER_KINDS;

/** Returns whether an equal identifier may mean the same holder. True for unknown kinds. */
export function isStrong(kind: IdentifierKind | undefined): boolean {
  return IDENTIFIER_KINDS[kind ?? 'identifier']?.strong ?? false;
}

/** Issued once and never changed, so different numbers mean different holders. */
const FOR_LIFE = new Set<IdentifierKind>(['imoNumber', 'leiCode', 'innCode', 'ogrnCode', 'uniqueEntityId']);

export function isForLife(kind: IdentifierKind): boolean {
  return FOR_LIFE.has(kind);
}
