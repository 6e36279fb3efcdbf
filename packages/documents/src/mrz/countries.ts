// Issuers and nationalities in zones: ISO 3166-1 alpha-3 and ICAO's own codes.

/** All of ISO 3166-1 alpha-3. */
const COUNTRIES = `
ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR BLZ
BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP CZE DEU
DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC
GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM
KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG
MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL
PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN
SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB
VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE`;

/** Other codes of ISO 3166-1 countries (ICAO Doc 9303 part 3, section 5). */
const OTHER_SPELLINGS: readonly (readonly [string, string])[] = [
  ['D', 'DEU'],
  ['GBD', 'GBR'],
  ['GBN', 'GBR'],
  ['GBO', 'GBR'],
  ['GBP', 'GBR'],
  ['GBS', 'GBR'],
];

/** Issuers that are no country, such as the European Union, the United Nations and Interpol. */
const NO_COUNTRIES = 'EUE UNO UNA UNK XBA XIM XCC XCE XCO XDC XEC XES XMP XOM XPO RKS XKX IAO';

/** Utopia, ICAO's state for specimens, which anyone can print and which identify no one. */
const SPECIMEN_STATE = 'UTO';

/** Stateless, refugees, others and unspecified: nationalities of people, never issuers. */
const WITHOUT_STATE = 'XXA XXB XXC XXX';

const issuers = new Map<string, string | null>([
  ...COUNTRIES.trim()
    .split(/\s+/)
    .map((code) => [code, code] as const),
  ...OTHER_SPELLINGS,
  ...NO_COUNTRIES.split(' ').map((code) => [code, null] as const),
]);
const withoutState = new Set(WITHOUT_STATE.split(' '));

/** Returns the country, null for an issuer that is no country, undefined for an unknown code. */
export function findIssuer(code: string, specimens: boolean): string | null | undefined {
  return specimens && code === SPECIMEN_STATE ? null : issuers.get(code);
}

export function isNationality(code: string, specimens: boolean): boolean {
  return issuers.has(code) || withoutState.has(code) || (specimens && code === SPECIMEN_STATE);
}
