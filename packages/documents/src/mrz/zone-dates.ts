// The dates of a zone: six characters, two of them for the year, fillers for what is not known.
import { addDays, compareDays, type Day, firstDayOf, isRealDay, type PartialDate } from '../dates/partial-date.ts';

/** `unknown`: the zone says that nobody knows. `impossible`: no such day, or fillers where there can be none. */
export type ZoneDate = PartialDate | 'unknown' | 'impossible';

/** Days after today in which nobody can tell a newborn, by another clock or a misread day, from somebody of a hundred. */
const DOUBTFUL_DAYS = 31;

/**
 * A year of birth has two digits: the latest that is not after today. Somebody over a hundred is taken for a child by
 * this, which no zone can prevent, and never the other way round: a day that is about to come is no date at all.
 */
export function readBirth(text: string, today: Day): ZoneDate {
  const latest = Math.floor(today.year / 100) * 100;
  const doubtful = addDays(today, DOUBTFUL_DAYS);
  const date = readDate(text, (year, rest) => {
    // The next century too: what is about to come at its turn is in that one.
    const guesses = [latest + 100 + year, latest + year, latest + year - 100];
    return guesses.find((guess) => compareDays(firstDayOf({ year: guess, ...rest }), doubtful) <= 0)!;
  });
  return typeof date === 'object' && compareDays(firstDayOf(date), today) > 0 ? 'impossible' : date;
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
