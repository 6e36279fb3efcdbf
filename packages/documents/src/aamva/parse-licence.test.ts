import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLicenseText } from '../../testing/arbitrary-zones.ts';
import { formatLicense, type LicenseText } from '../../testing/format-licence.ts';
import { parseLicense } from './parse-licence.ts';

const license: LicenseText = {
  jurisdiction: 'CA',
  iin: '636014',
  country: 'USA',
  version: 9,
  kind: 'DL',
  number: 'D1234562',
  surname: 'SAMPLE',
  givenNames: 'MICHAEL JOHN',
  birth: '1990-02-03',
  expiry: '2030-04-05',
  issued: '2022-01-06',
  sex: '1',
};
const read = {
  type: 'driving_licence',
  country: 'USA',
  jurisdiction: 'CA',
  birth: { year: 1990, month: 2, day: 3 },
  expiry: { year: 2030, month: 4, day: 5 },
};
const text = formatLicense(license);

/** Replaces the value of an element. */
function withElement(id: string, value: string): string {
  return text.replace(new RegExp(`\\n${id}[^\\n]*`), `\n${id}${value}`);
}

describe('licenses of all versions', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])('reads version %i', (version) => {
    expect(parseLicense(formatLicense({ ...license, version }))).toEqual(read);
  });

  it('returns nothing else', () => {
    expect(JSON.stringify(parseLicense(text))).not.toMatch(/SAMPLE|MICHAEL|D1234562|STREET/);
  });

  it('reads Canadian dates with the year first', () => {
    const canadian = formatLicense({ ...license, jurisdiction: 'ON', iin: '636012', country: 'CAN' });
    expect(canadian).toContain('DBB19900203');
    expect(parseLicense(canadian)).toEqual({ ...read, country: 'CAN', jurisdiction: 'ON' });
  });

  it('distinguishes an identity card from a license', () => {
    expect(parseLicense(formatLicense({ ...license, kind: 'ID' }))).toEqual({ ...read, type: 'identity_card' });
  });

  it.each([
    ['@\n\x1e\rANSI 636014090002DL00410200ZC02410010DL', 'DL', 'driving_licence'],
    ['@\n\x1e\rANSI 636014090002DL00410200EN02410010DL', 'DL with EN', 'driving_licence'],
    ['@\n\x1e\rANSI 636014090001EN00310200EN', 'EN alone', 'driving_licence'],
    ['@\n\x1e\rANSI 636014090002ID00410200EN02410010ID', 'ID with EN', 'identity_card'],
    ['@\n\x1c\rANSI 6360140101DL00290179DL', 'the first version', 'driving_licence'],
    [
      '@\n\x1c\rAAMVA6360140101DL00290179',
      'the oldest cards, without the kind before the first element',
      'driving_licence',
    ],
  ])('the header %j: %s', (header, _, type) => {
    const body = text.slice(text.indexOf('DAQ'));
    expect(parseLicense(header + body)).toEqual({ ...read, type });
  });

  it('uses the issuer, not the address', () => {
    expect(parseLicense(withElement('DAJ', 'NV'))).toEqual(read);
  });

  it('uses the address for an unknown issuer', () => {
    expect(parseLicense(text.replace('636014', '636099'))).toEqual(read);
  });
});

describe('texts distorted by readers and issuers', () => {
  it.each<[string, string]>([
    ['wrong offsets', text.replace('DL0031', 'DL9999')],
    ['wrong lengths', text.replace(/(DL0031)\d{4}/, '$10001')],
    ['a wrong number of subfiles', text.replace('090001DL', '090007DL')],
    ['CR LF between the elements', text.replaceAll('\n', '\r\n')],
    ['CR instead of LF', text.replaceAll('\n', '\r')],
    ['a missing record separator', text.replace('\x1e', '')],
    ['a header without control characters', text.replace('@\n\x1e\rANSI', '@ANSI')],
    ['spaces after the values', text.replaceAll('\n', '  \n')],
    ['no end', text.slice(0, -2)],
  ])('%s', (_, mangled) => {
    expect(parseLicense(mangled)).toEqual(read);
  });

  it('are read with the year first in the United States too', () => {
    expect(parseLicense(withElement('DBB', '19900203'))).toEqual(read);
  });

  it('are read with a name that looks like an element', () => {
    expect(parseLicense(formatLicense({ ...license, surname: 'DBB01012000' }))).toEqual(read);
  });
});

describe('missing dates and cards without expiry', () => {
  it.each(['', 'NONE', 'unavl'])('reads the birth %j as none', (birth) => {
    expect(parseLicense(withElement('DBB', birth))).toEqual({ ...read, birth: null });
  });

  it('reads a missing birth as none', () => {
    expect(parseLicense(text.replace(/\nDBB[^\n]*/, ''))).toEqual({ ...read, birth: null });
  });

  it.each(['NONE', 'INDEF', '99999999', '12319999'])('reads the expiry %s as none', (expiry) => {
    expect(parseLicense(withElement('DBA', expiry))).toEqual({ ...read, expiry: null });
  });
});

describe('rejected texts', () => {
  it.each<[string, string, string, string]>([
    ['nothing', '', 'header', 'start'],
    ['another barcode', 'M1DOE/JOHN', 'header', 'start'],
    ['text before the header', `x${text}`, 'header', 'start'],
    ['no subfiles', text.replace(/DL\d{8}/, ''), 'header', 'subfiles'],
    ['subfiles of another kind only', text.replace(/DL(\d{8})/, 'ZC$1'), 'header', 'subfiles'],
    ['more than a barcode holds', text.padEnd(5000, 'x'), 'header', 'length'],
    ['no number', text.replace('DLDAQ', 'DLDAX'), 'fields', 'DAQ'],
    ['no end', text.replace(/\nDBA[^\n]*/, ''), 'fields', 'DBA'],
    ['an empty end', withElement('DBA', ''), 'fields', 'DBA'],
    ['two births', `${text}DBB02031989\n`, 'fields', 'DBB'],
    ['an issuer in one country and a card of the other', withElement('DCG', 'CAN'), 'fields', 'DCG'],
    ['an unknown issuer', withElement('DAJ', 'ZZ').replace('636014', '636099'), 'fields', 'DCG'],
    ['no such day of birth', withElement('DBB', '02301990'), 'date', 'DBB'],
    ['an impossible month of birth', withElement('DBB', '13011990'), 'date', 'DBB'],
    ['a short date of birth', withElement('DBB', '020390'), 'date', 'DBB'],
    ['a birth in another age', withElement('DBB', '02031790'), 'date', 'DBB'],
    ['no such day of expiry', withElement('DBA', '02292030'), 'date', 'DBA'],
    ['elements that run together', text.replaceAll('\n', ''), 'fields', 'DBA'],
  ])('%s', (_, wrong, refused, where) => {
    expect(parseLicense(wrong)).toEqual({ refused, where });
  });
});

describe('properties', () => {
  it('returns a license or a refusal for any text', () => {
    const pieces = fc.constantFrom(
      '@\n\x1e\rANSI ',
      '636014',
      '09',
      '0001',
      'DL00310200',
      'DL',
      'ID',
      'DBB',
      'DBA',
      '\n',
      '\r',
      '02031990',
      'DAQ',
      'DCGUSA',
      'DAJCA',
    );
    const anything = fc.uint16Array().map((units) => String.fromCharCode(...units));
    const texts = fc.oneof(
      anything,
      fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 }).map((parts) => parts.join('')),
      anything.map((rest) => text.slice(0, 60) + rest),
    );
    fc.assert(
      fc.property(texts, (any) => {
        const outcome = parseLicense(any);
        expect('refused' in outcome || 'jurisdiction' in outcome).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('reads back any written license', () => {
    fc.assert(
      fc.property(anyLicenseText(), (fields) => {
        const [year, month, day] = fields.birth.split('-').map(Number);
        const [endYear, endMonth, endDay] = fields.expiry.split('-').map(Number);
        expect(parseLicense(formatLicense(fields))).toEqual({
          type: fields.kind === 'DL' ? 'driving_licence' : 'identity_card',
          country: fields.country,
          jurisdiction: fields.jurisdiction,
          birth: { year, month, day },
          expiry: { year: endYear, month: endMonth, day: endDay },
        });
      }),
    );
  });
});
