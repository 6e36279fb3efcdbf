// Reads the text of a North American licence's barcode (AAMVA DL/ID card design, versions 0 to 10 and later): what it
// says or why it is refused. Names, numbers and addresses are not even taken out of it.
import { isRealDay, type PartialDate } from '../dates/partial-date.ts';
import { findCountry, findIssuer } from './jurisdictions.ts';
import { type LicenceRefusal, readElements } from './read-elements.ts';

export interface ParsedLicence {
  type: 'driving_licence' | 'identity_card';
  country: 'USA' | 'CAN';
  /** Two letters of the state, province or territory; 'US' for the Department of State. */
  jurisdiction: string;
  birth: PartialDate | null;
  /** Null where the card does not run out. */
  expiry: PartialDate | null;
}

/** What cards say where there is nothing to say. */
const NOTHING = /^(NONE|UNAVL|UNAVAIL)$/i;
const NO_END = /^(NONE|INDEF|INDEFINITE|NONEXP|99999999|12319999|99991231)$/i;

export function parseLicence(text: string): ParsedLicence | LicenceRefusal {
  const read = readElements(text);
  if ('refused' in read) return read;
  const { issuer, kinds, elements } = read;
  // Every version has these: without them it is the scrambled text that readers give now and then.
  for (const id of ['DAQ', 'DBA'] as const) {
    if (!elements.get(id)) return { refused: 'fields', where: id };
  }
  const place = placeOf(issuer, elements.get('DAJ') ?? '', elements.get('DCG') ?? '');
  if (!place) return { refused: 'fields', where: 'DCG' };

  const born = elements.get('DBB') ?? '';
  const birth = born === '' || NOTHING.test(born) ? null : readDay(born);
  if (birth === 'impossible') return { refused: 'date', where: 'DBB' };
  const ends = elements.get('DBA') ?? '';
  const expiry = NO_END.test(ends) ? null : readDay(ends);
  if (expiry === 'impossible') return { refused: 'date', where: 'DBA' };
  // An enhanced card (EN) comes beside one of the others, and alone it is a licence.
  const type = kinds.has('ID') && !kinds.has('DL') ? 'identity_card' : 'driving_licence';
  return { type, ...place, birth, expiry };
}

/**
 * The issuer's number tells; if we do not know it, the address does. People may live in another state than the one
 * that issued their card, so the two need not agree, but what is said of the country must.
 */
function placeOf(
  number: string,
  address: string,
  country: string,
): Pick<ParsedLicence, 'country' | 'jurisdiction'> | null {
  const addressCountry = findCountry(address);
  const place = findIssuer(number) ?? (addressCountry && { country: addressCountry, jurisdiction: address });
  if (!place || (country !== '' && !NOTHING.test(country) && country !== place.country)) return null;
  return place;
}

/**
 * MMDDCCYY in the United States, CCYYMMDD in Canada and in the first version. Both are taken everywhere, for issuers
 * mixed them up and no text can be both: no month is 19 or 20.
 */
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
