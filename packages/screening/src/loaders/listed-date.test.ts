// Date formats of the lists.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatListedDate,
  joinSpan,
  markCirca,
  readDecade,
  readEnglishDate,
  readIsoDate,
  readMonths,
  readSlashDate,
  readTimestamp,
} from './listed-date.ts';

describe('formatListedDate', () => {
  it.each([
    [[1971], '1971'],
    [[1971, 5], '1971-05'],
    [[1972, 2, 29], '1972-02-29'],
    [[1971, 2, 29], null],
    [[1900, 2, 29], null],
    [[2000, 2, 29], '2000-02-29'],
    [[1971, 13], null],
    [[1971, 0, 5], null],
    [[1971, 5, -1], null],
    [[1799], null],
    [[2101], null],
    [[1971.5], null],
    [[Number.NaN], null],
  ])('formats %j as %s', (parts, date) => {
    expect(formatListedDate(...(parts as [number, number?, number?]))).toBe(date);
  });

  it('accepts exactly the days of the calendar', () => {
    const part = (min: number, max: number) => fc.integer({ min, max });
    fc.assert(
      fc.property(part(1800, 2100), part(1, 12), part(1, 31), (year, month, day) => {
        const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
        const iso = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
        expect(formatListedDate(year, month, day)).toBe(exists ? iso : null);
      }),
    );
  });

  it.each([
    [readIsoDate, '1971-05-05T00:00:00', '1971-05-05'],
    [readIsoDate, '1971-00-00', '1971'],
    [readIsoDate, '71-05-05', null],
    [readIsoDate, '1971-05-05x', null],
    [readEnglishDate, '05 May 1971', '1971-05-05'],
    [readEnglishDate, '12-Nov-2026', '2026-11-12'],
    [readEnglishDate, 'Sept. 1971', '1971-09'],
    [readEnglishDate, '1971', '1971'],
    [readEnglishDate, '31 Jun 1971', null],
    [readEnglishDate, '05 Foo 1971', null],
    [readMonths, 'Between Aug. and Sep. 1977', '1977-08/1977-09'],
    [readMonths, 'between Nov. 1976 and January 1977', '1976-11/1977-01'],
    [readMonths, 'Between Sep. and Aug. 1977', null],
    [readMonths, 'Between 1977 and 1978', null],
    [readSlashDate, '15/02/1970', '1970-02-15'],
    [readSlashDate, 'dd/mm/1970', '1970'],
    [readSlashDate, 'dd/02/1970', '1970-02'],
    [readSlashDate, '15/mm/1970', '1970'],
    [readSlashDate, '00/00/1970', '1970'],
    [readSlashDate, '02/1970', '1970-02'],
    [readSlashDate, '1970', '1970'],
    [readSlashDate, '02/15/1970', null],
    [readDecade, '1970s', '1970/1979'],
    [readDecade, '1970', null],
    [readTimestamp, '2026-08-20T00:00:00', '2026-08-20T00:00:00'],
    [readTimestamp, '2026-08-20', '2026-08-20'],
    [readTimestamp, '2026-02-30T00:00:00', null],
    [readTimestamp, '2026', null],
  ])('parses with %o: %s as %s', (read, text, date) => {
    expect(read(text)).toBe(date);
  });

  it('creates a span only from an earlier to a later date', () => {
    expect(joinSpan('1960', '1962')).toBe('1960/1962');
    expect(joinSpan('1960-05', '1960')).toBe('1960-05/1960');
    expect(joinSpan('1960', '1960')).toBe('1960');
    expect(joinSpan('1962', '1960')).toBeNull();
    expect(joinSpan('1960-06', '1960-05-31')).toBeNull();
    expect(joinSpan(null, '1960')).toBeNull();
  });

  it('marks a date as circa once and leaves spans alone', () => {
    expect(markCirca('1960')).toBe('1960~');
    expect(markCirca('1960~')).toBe('1960~');
    expect(markCirca('1960/1962')).toBe('1960/1962');
    expect(markCirca(null)).toBeNull();
  });
});
