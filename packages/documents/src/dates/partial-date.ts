// Dates on documents: complete, without day, or only the year.

/** Returns the age in whole years by the latest possible day, so that no one is made older. */
export function ageOn(birth: PartialDate, today: string): number {
  const now = readToday(today);
  const born = getLastDay(birth);
  const hadBirthday = now.month > born.month || (now.month === born.month && now.day >= born.day);
  return Math.max(0, now.year - born.year - (hadBirthday ? 0 : 1));
}

/** A document is valid on its whole last day. A partial date ends with its month or year. */
export function isOver(expiry: PartialDate, today: string): boolean {
  return compareDays(getLastDay(expiry), readToday(today)) < 0;
}

/** `day` is only set with `month`. */
export interface PartialDate {
  year: number;
  month?: number;
  day?: number;
}

export interface Day {
  year: number;
  month: number;
  day: number;
}

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Returns 0 for an impossible month. */
export function countDays(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (LENGTHS[month - 1] ?? 0);
}

export function isRealDay({ year, month, day }: Day): boolean {
  return Number.isInteger(day) && day >= 1 && day <= countDays(year, month);
}

export function getFirstDay({ year, month, day }: PartialDate): Day {
  return month === undefined ? { year, month: 1, day: 1 } : { year, month, day: day ?? 1 };
}

export function getLastDay({ year, month, day }: PartialDate): Day {
  return month === undefined ? { year, month: 12, day: 31 } : { year, month, day: day ?? countDays(year, month) };
}

/** Returns a negative number if `a` is earlier. */
export function compareDays(a: Day, b: Day): number {
  return a.year - b.year || a.month - b.month || a.day - b.day;
}

export function addDays({ year, month, day }: Day, days: number): Day {
  const sum = new Date(Date.UTC(year, month - 1, day + days));
  return { year: sum.getUTCFullYear(), month: sum.getUTCMonth() + 1, day: sum.getUTCDate() };
}

/** Parses the server's date. Throws RangeError, because a wrong date is a defect. */
export function readToday(today: string): Day {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(today) ?? [];
  const read = { year: Number(year), month: Number(month), day: Number(day) };
  if (!isRealDay(read)) throw new RangeError('Today must be a day in the form YYYY-MM-DD.');
  return read;
}
