// The machine-readable zone of a specimen, valid or with the requested fault.

import type { ZoneFormat } from '../../src/mrz/formats.ts';
import { formatZone } from '../format-zone.ts';
import type { Details } from './wish.ts';

/** Line and column of the birth date's check digit. */
const BIRTH_DIGIT: Record<ZoneFormat, readonly [number, number]> = {
  TD1: [1, 6],
  TD2: [1, 19],
  TD3: [1, 19],
  'MRV-A': [1, 19],
  'MRV-B': [1, 19],
};

export function writeZoneText(details: Details, format: ZoneFormat, code: string): string[] {
  const { person, birthShown } = details;
  const lines = formatZone({
    format,
    code,
    issuer: person.nationality,
    surname: person.surname,
    givenNames: person.givenNames,
    number: details.number,
    nationality: person.nationality,
    birth: shorten(birthShown).padEnd(6, '<'),
    sex: person.sex === 'X' ? '<' : person.sex,
    expiry: shorten(details.expires),
  });
  if (details.break !== 'check_digit') return lines;
  const [row, column] = BIRTH_DIGIT[format];
  return lines.map((line, index) => {
    if (index !== row) return line;
    const wrong = (Number(line[column]) + 3) % 10;
    return line.slice(0, column) + wrong + line.slice(column + 1);
  });
}

/** Converts YYYY-MM-DD or a prefix to YYMMDD or a prefix. */
const shorten = (day: string) => day.slice(2).replaceAll('-', '');
