// Issuers of licenses with AAMVA barcodes: identification numbers with jurisdiction and country.

const UNITED_STATES = `
636033 AL 636059 AK 604427 AS 636026 AZ 636021 AR 636014 CA 636020 CO 636006 CT 636011 DE 636043 DC 636010 FL 636055 GA
636019 GU 636047 HI 636050 ID 636035 IL 636037 IN 636018 IA 636022 KS 636046 KY 636007 LA 636041 ME 636003 MD 636002 MA
636032 MI 636038 MN 636051 MS 636030 MO 636008 MT 636054 NE 636049 NV 636039 NH 636036 NJ 636009 NM 636001 NY 636004 NC
636034 ND 604430 MP 636023 OH 636058 OK 636029 OR 636025 PA 604431 PR 636052 RI 636005 SC 636042 SD 636053 TN 636015 TX
636062 VI 636040 UT 636024 VT 636000 VA 636045 WA 636061 WV 636031 WI 636060 WY`;

/** The Department of State issues to diplomats. It has a number but no jurisdiction. */
const STATE_DEPARTMENT = '636027';

const CANADA = `
604432 AB 990876 AB 636028 BC 636048 MB 636017 NB 636016 NL 636013 NS 604433 NU 604434 NT 636012 ON 604426 PE 604428 QC
636044 SK 604429 YT`;

export interface Issuer {
  country: 'USA' | 'CAN';
  jurisdiction: string;
}

const byNumber = new Map<string, Issuer>([[STATE_DEPARTMENT, { country: 'USA', jurisdiction: 'US' }]]);
const countries = new Map<string, 'USA' | 'CAN'>();
for (const [table, country] of [[UNITED_STATES, 'USA'] as const, [CANADA, 'CAN'] as const]) {
  for (const [, number, jurisdiction] of table.matchAll(/(\d{6}) ([A-Z]{2})/g)) {
    byNumber.set(number!, { country, jurisdiction: jurisdiction! });
    countries.set(jurisdiction!, country);
  }
}

export function findIssuer(number: string): Issuer | undefined {
  return byNumber.get(number);
}

/** The jurisdictions of the two countries have distinct abbreviations. */
export function findCountry(jurisdiction: string): 'USA' | 'CAN' | undefined {
  return countries.get(jurisdiction);
}
