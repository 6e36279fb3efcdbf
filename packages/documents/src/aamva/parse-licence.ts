// Parses the barcode text of North American licenses (AAMVA DL/ID card design, versions 0 to 10 and
// later). Names, numbers and addresses are not even extracted.
import { isRealDay, type PartialDate } from '../dates/partial-date.ts';
import { findCountry, findIssuer } from './jurisdictions.ts';
import { type LicenseRefusal, readElements } from './read-elements.ts';

export interface ParsedLicense {
  type: 'driving_licence' | 'identity_card';
  country: 'USA' | 'CAN';
  /** Two-letter state, province or territory; 'US' for the Department of State. */
  jurisdiction: string;
  birth: PartialDate | null;
  /** Null if the card does not expire. */
  expiry: PartialDate | null;
}

/** Values that mean "none". */
const NOTHING = /^(NONE|UNAVL|UNAVAIL)$/i;
const NO_END = /^(NONE|INDEF|INDEFINITE|NONEXP|99999999|12319999|99991231)$/i;

export function parseLicense(text: string): ParsedLicense | LicenseRefusal {
  const read = readElements(text);
  if ('refused' in read) return read;
  const { issuer, kinds, elements } = read;
  // Present in every version. Without them, the reader returned a scrambled text.
  for (const id of ['DAQ', 'DBA'] as const) {
    if (!elements.get(id)) return { refused: 'fields', where: id };
  }
  const place = readPlace(issuer, elements.get('DAJ') ?? '', elements.get('DCG') ?? '');
  if (!place) return { refused: 'fields', where: 'DCG' };

  const born = elements.get('DBB') ?? '';
  const birth = born === '' || NOTHING.test(born) ? null : readDay(born);
  if (birth === 'impossible') return { refused: 'date', where: 'DBB' };
  const ends = elements.get('DBA') ?? '';
  const expiry = NO_END.test(ends) ? null : readDay(ends);
  if (expiry === 'impossible') return { refused: 'date', where: 'DBA' };
  // An enhanced card (EN) is an addition to another kind, and alone a license.
  const type = kinds.has('ID') && !kinds.has('DL') ? 'identity_card' : 'driving_licence';
  return { type, ...place, birth, expiry };
}

/** Uses the issuer's number, else the address. The two may differ, but not in country. */
function readPlace(
  number: string,
  address: string,
  country: string,
): Pick<ParsedLicense, 'country' | 'jurisdiction'> | null {
  const addressCountry = findCountry(address);
  const place = findIssuer(number) ?? (addressCountry && { country: addressCountry, jurisdiction: address });
  if (!place || (country !== '' && !NOTHING.test(country) && country !== place.country)) return null;
  return place;
}

/** MMDDCCYY or CCYYMMDD. Issuers mix them up, and no text is valid in both. */
function readDay(text: string): Required<PartialDate> | 'impossible' {
  const monthFirst = /^(?<month>\d\d)(?<day>\d\d)(?<year>(?:19|20)\d\d)$/;
  const yearFirst = /^(?<year>(?:19|20)\d\d)(?<month>\d\d)(?<day>\d\d)$/;
  for (const pattern of [monthFirst, yearFirst]) {
    const { year, month, day } = pattern.exec(text)?.groups ?? {};
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    if (isRealDay(date)) return date;
  }
  return 'impossible';
}
