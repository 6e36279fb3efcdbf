// Parses a machine-readable zone from any text. Never guesses or repairs.
import type { DocumentType } from '@limen/plan';
import {
  addDays,
  compareDays,
  type Day,
  getFirstDay,
  isRealDay,
  type PartialDate,
  readToday,
} from '../dates/partial-date.ts';
import { findFailedCheck, readNumber } from './check-zone.ts';
import { findIssuer, isNationality } from './countries.ts';
import { chooseFormat, type FieldName, LAYOUTS, type Span, type ZoneFormat } from './formats.ts';
import { createGrammar } from './grammar.ts';

/** `unknown`: stated as unknown. `impossible`: no such day, or misplaced fillers. */
type ZoneDate = PartialDate | 'unknown' | 'impossible';

/**
 * Days after today in which a newborn, by clock skew or misreading, looks like a person of a
 * hundred.
 */
const DOUBTFUL_DAYS = 31;

/**
 * Two-digit years of birth are the latest not after today. This reads people over a hundred as
 * children, which no zone can avoid, but never the reverse: a day in the near future is rejected.
 */
function readBirth(text: string, today: Day): ZoneDate {
  const latest = Math.floor(today.year / 100) * 100;
  const doubtful = addDays(today, DOUBTFUL_DAYS);
  const date = readDate(text, (year, rest) => {
    // Includes the next century for days shortly after its turn.
    const guesses = [latest + 100 + year, latest + year, latest + year - 100];
    return guesses.find((guess) => compareDays(getFirstDay({ year: guess, ...rest }), doubtful) <= 0)!;
  });
  return typeof date === 'object' && compareDays(getFirstDay(date), today) > 0 ? 'impossible' : date;
}

/** The year of expiry is the nearest: from 50 years ago to 49 years ahead. */
function readExpiry(text: string, today: Day): ZoneDate {
  const from = today.year - 50;
  // Only an entirely missing date means no expiry.
  if (text.startsWith('<<') && text !== '<<<<<<') return 'impossible';
  return readDate(text, (year) => from + ((((year - from) % 100) + 100) % 100));
}

function readDate(text: string, chooseYear: (year: number, rest: Omit<PartialDate, 'year'>) => number): ZoneDate {
  // Without the year no date is usable.
  if (/^<<(\d\d|<<){2}$/.test(text)) return 'unknown';
  const [, yy, mm, dd] = /^(\d\d)(\d\d|<<)(\d\d|<<)$/.exec(text) ?? [];
  if (yy === undefined || mm === undefined || dd === undefined) return 'impossible';
  if (mm === '<<') return dd === '<<' ? { year: chooseYear(Number(yy), {}) } : 'impossible';
  const month = Number(mm);
  if (month < 1 || month > 12) return 'impossible';
  if (dd === '<<') return { year: chooseYear(Number(yy), { month }), month };
  const day = Number(dd);
  const date = { year: chooseYear(Number(yy), { month, day }), month, day };
  return isRealDay(date) ? date : 'impossible';
}

/** `code`: document code without fillers. */
function readDocumentType(code: string, issuer: string): DocumentType {
  if (code.startsWith('P')) return 'passport';
  if (code.startsWith('V')) return 'visa';
  // Residence permits of the European Union, the United Kingdom and many others.
  if (code === 'AR' || code === 'IR' || code === 'CR') return 'residence_permit';
  // Permanent resident card of the United States, in both layouts.
  if (issuer === 'USA' && (code === 'C1' || code === 'C2')) return 'residence_permit';
  // Identifies crew members, but is no identity card (ICAO Doc 9303 part 5, appendix).
  if (code === 'AC') return 'other';
  // The issuer chooses the second letter: `I` is always a card, `A` and `C` only alone.
  return code.startsWith('I') || code.length === 1 ? 'identity_card' : 'other';
}

/** Zone contents without trailing fillers. They never leave this package. */
export interface ZoneFields {
  code: string;
  number: string;
  nationality: string;
  surname: string;
  givenNames: string;
  sex: string;
  optional: string;
}

export interface ParsedZone {
  format: ZoneFormat;
  type: DocumentType;
  /** Zone code without fillers, for example 'SWE' or 'D'. */
  issuer: string;
  /** ISO 3166-1 alpha-3; null for an issuer that is no country. */
  country: string | null;
  /** Null if stated as unknown. */
  birth: PartialDate | null;
  /** Null if the document does not expire. */
  expiry: PartialDate | null;
  fields: ZoneFields;
}

/** `where` names the field or check digit, never its content. */
export type ZoneRefusal = { refused: 'shape' | 'characters' | 'check_digit' | 'date' | 'issuer'; where: string };

interface ZoneOptions {
  /** Whether to accept ICAO's specimen state, whose documents anyone can print. Default: false. */
  specimens?: boolean;
}

/**
 * `today` decides the century. Not supported: French identity cards before 2021; licenses with one
 * line or lines of different lengths; Russian internal passports; zeros for an unknown month or
 * day; the sex `X`.
 */
export function parseZone(
  lines: readonly string[],
  today: string,
  { specimens = false }: ZoneOptions = {},
): ParsedZone | ZoneRefusal {
  const day = readToday(today);
  const width = lines[0]?.length ?? 0;
  if (lines.length > 3 || lines.some((line) => line.length !== width)) return { refused: 'shape', where: 'lines' };
  const format = chooseFormat(lines.length, width, lines[0]?.[0] ?? '');
  if (!format) return { refused: 'shape', where: 'lines' };
  if (format === 'TD2' && lines[0]!.startsWith('IDFRA')) return { refused: 'shape', where: 'national layout' };

  const layout = LAYOUTS[format];
  const text = lines.join('');
  const grammar = createGrammar(format);
  for (let at = 0; at < text.length; at += 1) {
    if (!grammar[at]!.includes(text[at]!))
      return { refused: 'characters', where: `line ${Math.floor(at / width) + 1}` };
  }
  const failed = findFailedCheck(text, layout);
  if (failed) return { refused: 'check_digit', where: failed };
  const take = (field: Exclude<FieldName, 'optionalMore'>) => text.slice(...layout.spans[field]);

  const birth = readBirth(take('birth'), day);
  if (birth === 'impossible') return { refused: 'date', where: 'birth' };
  const expiry = readExpiry(take('expiry'), day);
  if (expiry === 'impossible') return { refused: 'date', where: 'expiry' };

  const code = trim(take('code'));
  const issuer = trim(take('issuer'));
  const nationality = trim(take('nationality'));
  const country = findIssuer(issuer, specimens);
  if (country === undefined) return { refused: 'issuer', where: 'issuer' };
  if (!isNationality(nationality, specimens)) return { refused: 'issuer', where: 'nationality' };
  const number = readNumber(text, layout);
  const names = take('names');
  // All fillers satisfy every check digit, so a number and a name are required.
  if (!number?.number.replaceAll('<', '')) return { refused: 'characters', where: 'number' };
  if (names.startsWith('<')) return { refused: 'characters', where: 'names' };
  const [surname = '', givenNames = ''] = names.split(/<<(.*)/);
  const more: Span = layout.spans.optionalMore ?? [0, 0];
  return {
    format,
    type: readDocumentType(code, issuer),
    issuer,
    country,
    birth: birth === 'unknown' ? null : birth,
    expiry: expiry === 'unknown' ? null : expiry,
    fields: {
      code,
      number: number.number,
      nationality,
      surname: trim(surname).replaceAll('<', ' '),
      givenNames: trim(givenNames).replaceAll('<', ' '),
      sex: take('sex'),
      optional: trim(number.rest + text.slice(...more)),
    },
  };
}

function trim(text: string): string {
  return text.replace(/<+$/, '');
}
