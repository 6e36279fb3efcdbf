import { describe, expect, test } from 'vitest';
import { compareDates } from './compare-dates.ts';
import { packDate } from './packed-date.ts';
import { readQueryDate } from './query-date.ts';

function relation(query: string, ...listed: string[]): string {
  const dates = Uint32Array.from(listed, (text) => packDate(text)!);
  return compareDates(readQueryDate(query) ?? undefined, dates, 0, dates.length).relation;
}

describe('compareDates', () => {
  test.each([
    ['1971-05-04', ['1971-05-04'], 'day'],
    ['1971-04-05', ['1971-05-04'], 'swapped'],
    ['1971-05', ['1971-05-04'], 'month'],
    ['1971-05-04', ['1971-05'], 'month'],
    ['1971', ['1971-05-04'], 'year'],
    ['1971-05-04', ['1971'], 'year'],
    ['1971-05-09', ['1971-05-04'], 'sameYear'],
    ['1971-08-09', ['1971-05-04'], 'sameYear'],
    ['1971-06', ['1971-05'], 'sameYear'],
    ['1971-05-04', ['1970/1975'], 'span'],
    ['1971-05-04', ['1971~'], 'span'],
    ['1973', ['1971~'], 'span'],
    ['1971-09-01', ['1971-05~'], 'span'],
    ['1974', ['1971~'], 'off'],
    ['1972-05-04', ['1971-05-04'], 'near'],
    ['1976', ['1970/1975'], 'near'],
    ['1977-05-04', ['1971-05-04'], 'misread'],
    ['1967-05-04', ['1976-05-04'], 'misread'],
    ['1968-05-04', ['1976-05-04'], 'conflict'],
    ['1974', ['1971-05-04'], 'off'],
    ['1978', ['1971-05-04'], 'apart'],
    ['1979', ['1971-05-04'], 'conflict'],
    ['1979', ['1971-05-04', '1979-01-01'], 'year'],
    ['1979-01-01', ['1971', '1979-01-01', '1990'], 'day'],
    ['', ['1971'], 'unknown'],
    ['1971', [], 'unknown'],
  ])('compares %s with %s as %s', (query, listed, expected) => {
    expect(relation(query, ...listed)).toBe(expected);
  });

  test('returns the number of years between the dates', () => {
    const dates = Uint32Array.of(packDate('1940')!, packDate('1960-01-01')!);
    expect(compareDates({ year: 1991, month: 0, day: 0 }, dates, 0, 2)).toMatchObject({
      yearsApart: 31,
      relation: 'conflict',
    });
  });
});

describe('readQueryDate', () => {
  test.each([
    '1971-02-30',
    '1971-13',
    '1971-00-01',
    '04/05/1971',
    '71-05-04',
    'born 1971',
    '0001-01-01',
    '1971-5-4',
    'x',
  ])('rejects %s', (text) => expect(readQueryDate(text)).toBeNull());

  test('treats an empty cell as absent, not as invalid', () => {
    expect(readQueryDate('')).toBeUndefined();
    expect(readQueryDate('  ')).toBeUndefined();
    expect(readQueryDate(' 2000-02-29 ')).toEqual({ year: 2000, month: 2, day: 29 });
  });
});

describe('packDate', () => {
  test.each(['', 'x', '1971-5', '1975/1970', '19711', '1970-99-99', '9999-01-01'])('does not pack %s', (text) => {
    expect(packDate(text)).toBeUndefined();
  });
});
