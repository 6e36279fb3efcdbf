// How old somebody is and whether a document has run out, on the day that the server calls today.
import { compareDays, lastDayOf, type PartialDate, readToday } from './partial-date.ts';

/**
 * Whole years. A partial date counts as late as it can be, so that nobody is made older than they are. Who was born on
 * 29 February is a year older on 1 March in other years. Never below zero.
 */
export function ageOn(birth: PartialDate, today: string): number {
  const now = readToday(today);
  const born = lastDayOf(birth);
  const hadBirthday = now.month > born.month || (now.month === born.month && now.day >= born.day);
  return Math.max(0, now.year - born.year - (hadBirthday ? 0 : 1));
}

/** A document is valid through the whole of its last day; a partial date ends with its month or year. */
export function isOver(expiry: PartialDate, today: string): boolean {
  return compareDays(lastDayOf(expiry), readToday(today)) < 0;
}
