// Reads a machine-readable zone: any text in, what it says or why it is refused out. Nothing is guessed or mended here.
import type { DocumentType } from '@limen/plan';
import { type PartialDate, readToday } from '../dates/partial-date.ts';
import { findFailedCheck, readNumber } from './check-zone.ts';
import { findIssuer, isNationality } from './countries.ts';
import { readDocumentType } from './document-type.ts';
import { chooseFormat, type FieldName, LAYOUTS, type Span, type ZoneFormat } from './formats.ts';
import { grammarOf } from './grammar.ts';
import { readBirth, readExpiry } from './zone-dates.ts';

/** As in the zone, without the fillers at the end. They stay where the zone was read. */
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
  /** As in the zone, without fillers, e.g. 'SWE' or 'D'. */
  issuer: string;
  /** ISO 3166-1 alpha-3, or null for an issuer that is no country. */
  country: string | null;
  /** Null where the zone says that it is not known. */
  birth: PartialDate | null;
  /** Null where the document does not run out. */
  expiry: PartialDate | null;
  fields: ZoneFields;
}

/** `where` names the field or the check digit, never what was read. */
export type ZoneRefusal = { refused: 'shape' | 'characters' | 'check_digit' | 'date' | 'issuer'; where: string };

interface ZoneOptions {
  /** Whether documents of ICAO's specimen state will do, which anybody can print. Not by default. */
  specimens?: boolean;
}

/**
 * `today` tells the century of years with two digits. Not read: the French identity card before 2021, which has a layout
 * of its own; driving licences with one line or with lines of different lengths; the Russian internal passport, which
 * writes Cyrillic with digits; dates with zeros for an unknown month or day; zones with an `X` for the sex.
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
  const grammar = grammarOf(format);
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
  // All fillers satisfy every check digit: without a number or a name it is not a zone.
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
