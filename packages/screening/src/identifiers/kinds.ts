// The numbers and codes that lists tell people, organisations and vessels apart by, in FollowTheMoney's words.

/**
 * `strong`: given to one holder and to nobody else, so that an equal one means the same holder, whatever the name. The
 * others are shared, reused or short, and only support a name.
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
  /** Yards count their hulls, each from one on. */
  hullNumber: { strong: false, says: 'hull number' },
  serialNumber: { strong: false, says: 'serial number' },
  publicKey: { strong: true, says: 'wallet address' },
  wikidataId: { strong: true, says: 'Wikidata id' },
  /** Of a kind that the list does not tell. */
  identifier: { strong: true, says: 'identifier' },
} as const satisfies Record<string, { strong: boolean; says: string }>;

export type IdentifierKind = keyof typeof IDENTIFIER_KINDS;

/** Whether an equal one may mean the same holder by itself. One of a kind that is not known may. */
export function isStrong(kind: IdentifierKind | undefined): boolean {
  return IDENTIFIER_KINDS[kind ?? 'identifier']?.strong ?? false;
}

/** Given once to one holder and never changed: two that differ are two holders. An issuer has an ISIN for each security. */
const FOR_LIFE = new Set<IdentifierKind>(['imoNumber', 'leiCode', 'innCode', 'ogrnCode', 'uniqueEntityId']);

export function isForLife(kind: IdentifierKind): boolean {
  return FOR_LIFE.has(kind);
}
