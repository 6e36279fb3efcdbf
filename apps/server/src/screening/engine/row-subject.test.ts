import { describe, expect, it } from 'vitest';
import { readMore, subjectOfRow } from './row-subject.ts';

const LAYOUT = { delimiter: 0x2c, width: 7, columns: [0, 1, 2, 3], more: { country: 4, identifier: 6 } };
const NOBODY = { firstname: '', lastname: '', dob: '' };

describe('extended columns of a row', () => {
  it('are read from the columns that the file has', () => {
    expect(readMore(['1', 'a', 'b', '', ' no; se ', 'note', 'N1'], LAYOUT)).toEqual({
      country: 'no; se',
      identifier: 'N1',
    });
  });

  it('are absent if those are empty or missing', () => {
    expect(readMore(['1', 'a', 'b', '', '', 'note', ' '], LAYOUT)).toBeUndefined();
    expect(readMore(['1', 'a'], LAYOUT)).toBeUndefined();
    expect(readMore(['1', '', 'a IMO 9074728', '1960-01-02'], LAYOUT)).toBeUndefined();
    expect(readMore(['1', 'a', 'b', '', 'no'], { ...LAYOUT, more: undefined })).toBeUndefined();
  });
});

describe('a row as a subject', () => {
  it('may have several values in a cell, and names besides those of the two columns', () => {
    const more = {
      name: 'Torvald Eskeland; T. Eskeland;',
      schema: 'individual',
      country: 'se',
      nationality: 'no; Denmark',
      identifier: 'passport:N 1234567; 12:99812 | 5512345',
      address: '3 Fjordgata, Trondheim',
    };
    expect(subjectOfRow({ firstname: 'Torvald', lastname: 'E.', dob: '1961' }, more)).toEqual({
      subject: {
        schema: 'Person',
        names: ['Torvald Eskeland', 'T. Eskeland'],
        person: { firstName: 'Torvald', lastName: 'E.' },
        birthDate: '1961',
        countries: ['no', 'Denmark', 'se'],
        identifiers: [{ kind: 'passportNumber', value: 'N 1234567' }, { value: '12:99812' }, { value: '5512345' }],
        addresses: ['3 Fjordgata, Trondheim'],
      },
      warnings: [],
    });
  });

  it.each([
    ['an unknown schema', { schema: 'Robot' }, /schema is none that is known/],
    [
      'an invalid kind of identifier',
      { identifier: 'shoe:12345' },
      /^Kinds of identifiers that are not known: shoe; known/,
    ],
    ['several invalid kinds, once', { identifier: 'shoe:12345;hat:67890;shoe:1' }, /not known: shoe, hat; known/],
    [
      'very many invalid kinds',
      { identifier: [...'abcdefgh'].map((kind) => `x${kind}:12345`).join(';') },
      /: xa, xb, xc, xd, xe, …; /,
    ],
    ['too many values', { country: Array(21).fill('no').join(';') }, /more than 20 values of country/],
    ['a value that is too long', { address: 'x'.repeat(501) }, /address has more than 500 characters/],
  ])('warns of %s', (_, more, says) => {
    const { warnings } = subjectOfRow(NOBODY, more);
    expect(warnings).toEqual([expect.stringMatching(says)]);
  });
});
