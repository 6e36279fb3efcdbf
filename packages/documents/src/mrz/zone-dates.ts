// The dates of a zone: six characters, two of them for the year, fillers for what is not known.
import { compareDays, type Day, firstDayOf, isRealDay, type PartialDate } from '../dates/partial-date.ts';

/** `unknown`: the zone says that nobody knows. `impossible`: no such day, or fillers where there can be none. */
export type ZoneDate = PartialDate | 'unknown' | 'impossible';

/**
 * A year of birth has two digits: the latest that is not after today. Somebody over a hundred is taken for a child by
 * this, which no zone can prevent, and never the other way round.
 */
export function readBirth(text: string, today: Day): ZoneDate {
  const latest = Math.floor(today.year / 100) * 100;
  return readDate(text, (year, rest) => {
    const guess = { year: latest + year, ...rest };
    return compareDays(firstDayOf(guess), today) > 0 ? latest + year - 100 : latest + year;
  });
}

/** The year of expiry is the nearest one: from 50 years ago to 49 years from now. */
export function readExpiry(text: string, today: Day): ZoneDate {
  const from = today.year - 50;
  // Only a date that is left out altogether says that the document does not run out.
  if (text.startsWith('<<') && text !== '<<<<<<') return 'impossible';
  return readDate(text, (year) => from + ((((year - from) % 100) + 100) % 100));
}

function readDate(text: string, chooseYear: (year: number, rest: Omit<PartialDate, 'year'>) => number): ZoneDate {
  // The year unknown, whatever else is said: no date that anything could be counted from.
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
