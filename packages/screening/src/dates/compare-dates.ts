// Compares a row's date of birth with an entity's listed dates.
import {
  isCirca,
  type ListedDate,
  unpackDate,
  unpackDay,
  unpackLastYear,
  unpackMonth,
  unpackYear,
} from './packed-date.ts';
import type { QueryDate } from './query-date.ts';

/**
 * Relations from best to worst. `unknown` is in the middle: one side has no date, which neither
 * helps nor hurts.
 *
 * day: both full and equal · swapped: equal with day and month swapped · month, year: equal as far
 * as both are known · span: inside a listed span or near a circa year · sameYear: full dates with
 * only the year in common · near: one year apart · off: two or three years · misread: one digit of
 * the year differs or two adjacent ones are swapped, day and month equal · apart: four to seven
 * years · conflict: eight or more.
 */
export const DATE_RELATIONS = [
  'day',
  'swapped',
  'month',
  'year',
  'span',
  'unknown',
  'sameYear',
  'near',
  'off',
  'misread',
  'apart',
  'conflict',
] as const;
export const APART_FROM_YEARS = 4;
export const CONFLICT_FROM_YEARS = 8;
export type DateRelation = (typeof DATE_RELATIONS)[number];

export interface DateComparison {
  relation: DateRelation;
  /** Best-fitting listed date. Undefined if the relation is unknown. */
  listed: ListedDate | undefined;
  /** Difference of the years. 0 if they agree or one is unknown. */
  yearsApart: number;
}

const UNKNOWN: DateComparison = { relation: 'unknown', listed: undefined, yearsApart: 0 };
const RANK = Object.fromEntries(DATE_RELATIONS.map((relation, rank) => [relation, rank])) as Record<
  DateRelation,
  number
>;

/** Returns the best relation to any listed date, because lists give alternatives. */
export function compareDates(
  query: QueryDate | undefined,
  dates: Uint32Array,
  from: number,
  to: number,
): DateComparison {
  if (query === undefined || from === to) return UNKNOWN;
  let best = dates[from]!;
  for (let position = from + 1; position < to; position += 1) {
    if (isBetter(query, dates[position]!, best)) best = dates[position]!;
  }
  const listed = unpackDate(best);
  return { relation: relateDate(query, best), listed, yearsApart: distanceInYears(query.year, best) };
}

/** Returns only the relation, without allocations. Searches call this often. */
export function relateDates(query: QueryDate | undefined, dates: Uint32Array, from: number, to: number): DateRelation {
  if (query === undefined || from === to) return 'unknown';
  let best = relateDate(query, dates[from]!);
  for (let position = from + 1; position < to; position += 1) {
    const relation = relateDate(query, dates[position]!);
    if (RANK[relation] < RANK[best]) best = relation;
  }
  return best;
}

function isBetter(query: QueryDate, one: number, other: number): boolean {
  const byRelation = RANK[relateDate(query, one)] - RANK[relateDate(query, other)];
  if (byRelation !== 0) return byRelation < 0;
  return distanceInYears(query.year, one) < distanceInYears(query.year, other);
}

/** Returns the relation to a packed listed date. */
function relateDate({ year, month, day }: QueryDate, listed: number): DateRelation {
  const yearsApart = distanceInYears(year, listed);
  if (isCirca(listed) && yearsApart <= 2) return 'span';
  const listedMonth = unpackMonth(listed);
  const listedDay = unpackDay(listed);
  if (yearsApart === 0) {
    if (unpackLastYear(listed) !== unpackYear(listed)) return 'span';
    if (listedMonth === 0 || month === 0) return 'year';
    const bothFull = listedDay !== 0 && day !== 0;
    if (listedMonth === month) return bothFull ? (listedDay === day ? 'day' : 'sameYear') : 'month';
    return bothFull && listedMonth === day && listedDay === month ? 'swapped' : 'sameYear';
  }
  if (yearsApart === 1) return 'near';
  if (yearsApart < APART_FROM_YEARS) return 'off';
  const sameDay = day !== 0 && listedDay === day && listedMonth === month;
  if (sameDay && isMisreadYear(year, unpackYear(listed))) return 'misread';
  return yearsApart < CONFLICT_FROM_YEARS ? 'apart' : 'conflict';
}

function distanceInYears(year: number, listed: number): number {
  const first = unpackYear(listed);
  const lastYear = unpackLastYear(listed);
  if (year < first) return first - year;
  return year > lastYear ? year - lastYear : 0;
}

/** Returns whether one digit differs or two adjacent digits are swapped. */
function isMisreadYear(left: number, right: number): boolean {
  const a = String(left);
  const b = String(right);
  const differing = [0, 1, 2, 3].filter((position) => a[position] !== b[position]);
  if (differing.length === 1) return true;
  const [first, second] = differing as [number, number];
  return differing.length === 2 && second === first + 1 && a[first] === b[second] && a[second] === b[first];
}
