// Random valid fields of zones and licenses for property tests.
import fc from 'fast-check';
import type { ZoneFormat } from '../src/mrz/formats.ts';
import type { LicenseText } from './format-licence.ts';
import type { ZoneText } from './format-zone.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALPHANUMERIC = `0123456789${LETTERS}`;
const CODES: Record<ZoneFormat, string[]> = {
  TD1: ['I', 'ID', 'IP', 'AR', 'IR', 'C', 'A', 'C1', 'AC'],
  TD2: ['I', 'ID', 'AR', 'C'],
  TD3: ['P', 'PD', 'PP'],
  'MRV-A': ['V', 'VB'],
  'MRV-B': ['V', 'VC'],
};

export const anyFormat = fc.constantFrom<ZoneFormat>('TD1', 'TD2', 'TD3', 'MRV-A', 'MRV-B');

function text(characters: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
}

/** Draws a day as YYYY-MM-DD. */
export function anyDay(min: string, max: string): fc.Arbitrary<string> {
  return fc
    .date({ min: new Date(`${min}T00:00:00Z`), max: new Date(`${max}T00:00:00Z`), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10));
}

/** In the hundred years before `today`, so that the century is unambiguous. */
export function anyZoneText(formats: fc.Arbitrary<ZoneFormat> = anyFormat): fc.Arbitrary<ZoneText> {
  return formats.chain((format) =>
    fc.record({
      format: fc.constant(format),
      code: fc.constantFrom(...CODES[format]),
      issuer: fc.constantFrom('SWE', 'D', 'ITA', 'USA', 'GBR', 'EUE', 'JPN'),
      surname: text(LETTERS, 1, 10),
      givenNames: fc.array(text(LETTERS, 1, 6), { minLength: 1, maxLength: 2 }).map((names) => names.join(' ')),
      number: text(ALPHANUMERIC, 1, format === 'TD1' ? 22 : format === 'TD2' ? 14 : 9),
      nationality: fc.constantFrom('SWE', 'D', 'FRA', 'XXA', 'GBN'),
      birth: anyDay('1927-01-01', '2026-11-15').map(shorten),
      sex: fc.constantFrom('M' as const, 'F' as const, '<' as const),
      expiry: anyDay('1977-01-01', '2075-12-31').map(shorten),
      optional: format === 'TD1' || format === 'TD2' ? fc.constant('') : text(ALPHANUMERIC, 0, 14),
    }),
  );
}

export function anyLicenseText(): fc.Arbitrary<LicenseText> {
  const places = fc.constantFrom(
    { jurisdiction: 'CA', iin: '636014', country: 'USA' as const },
    { jurisdiction: 'NY', iin: '636001', country: 'USA' as const },
    { jurisdiction: 'ON', iin: '636012', country: 'CAN' as const },
    { jurisdiction: 'BC', iin: '636028', country: 'CAN' as const },
  );
  const rest = fc.record({
    version: fc.integer({ min: 0, max: 11 }),
    kind: fc.constantFrom('DL' as const, 'ID' as const),
    number: text(ALPHANUMERIC, 1, 15),
    surname: text(`${LETTERS}'- `, 1, 20),
    givenNames: text(`${LETTERS} `, 1, 20),
    birth: anyDay('1900-01-01', '2026-11-15'),
    expiry: anyDay('2000-01-01', '2099-12-31'),
    issued: anyDay('1990-01-01', '2026-11-15'),
    sex: fc.constantFrom('1' as const, '2' as const, '9' as const),
  });
  return fc.tuple(places, rest).map(([place, fields]) => ({ ...place, ...fields }));
}

function shorten(day: string): string {
  return day.slice(2).replaceAll('-', '');
}
