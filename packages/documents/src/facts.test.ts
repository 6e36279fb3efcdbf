import { describe, expect, it } from 'vitest';
import type { ParsedLicense } from './aamva/parse-licence.ts';
import { judgeDocument } from './facts.ts';
import type { ParsedZone } from './mrz/parse-zone.ts';

const TODAY = '2026-11-15';
const zone: ParsedZone = {
  format: 'TD3',
  type: 'passport',
  issuer: 'D',
  country: 'DEU',
  birth: { year: 1990, month: 2, day: 3 },
  expiry: { year: 2026, month: 11, day: 15 },
  fields: {
    code: 'P',
    number: 'C01X00T47',
    nationality: 'D',
    surname: 'MUSTERMANN',
    givenNames: 'ERIKA',
    sex: 'F',
    optional: '',
  },
};
const license: ParsedLicense = {
  type: 'driving_licence',
  country: 'CAN',
  jurisdiction: 'ON',
  birth: { year: 1990, month: 2, day: 3 },
  expiry: null,
};

describe('facts of a zone', () => {
  it('are the type, the country and the date of birth only', () => {
    expect(judgeDocument(zone, TODAY)).toEqual({
      type: 'passport',
      country: 'DEU',
      birth: { year: 1990, month: 2, day: 3 },
    });
  });

  it('report an expired document from the day after its last one', () => {
    expect(judgeDocument(zone, '2026-11-16')).toBe('expired');
  });

  it('report a missing date of birth first, expired or not', () => {
    expect(judgeDocument({ ...zone, birth: null, expiry: { year: 2020 } }, TODAY)).toBe('no_birth_date');
  });

  it('never report an expiry without an end', () => {
    expect(judgeDocument({ ...zone, expiry: null }, TODAY)).toMatchObject({ country: 'DEU' });
  });
});

describe('facts of a license', () => {
  it('are the type, the country and the date of birth only', () => {
    expect(judgeDocument(license, TODAY)).toEqual({ type: 'driving_licence', country: 'CAN', birth: license.birth });
  });

  it('report an expired license', () => {
    expect(judgeDocument({ ...license, expiry: { year: 2026, month: 11, day: 14 } }, TODAY)).toBe('expired');
  });

  it('report a missing date of birth', () => {
    expect(judgeDocument({ ...license, birth: null }, TODAY)).toBe('no_birth_date');
  });

  it.each([
    ['tomorrow', { year: 2026, month: 11, day: 16 }],
    ['next year', { year: 2027 }],
    ['131 years ago', { year: 1895, month: 11, day: 15 }],
  ])('report an unreadable document for a birth %s', (_, birth) => {
    expect(judgeDocument({ ...license, birth }, TODAY)).toBe('unreadable');
  });
});
