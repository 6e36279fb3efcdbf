// How the date of birth of a row stands to the dates that a list gives for one entity.
import { type ListedDate, unpackDate } from './packed-date.ts';
import type { QueryDate } from './query-date.ts';

/**
 * From best to worst. `unknown` stands in the middle: one side has no date, which neither helps nor hurts.
 *
 * day: both full and equal · swapped: equal with day and month exchanged · month, year: equal as far as both say ·
 * span: inside a listed span or near a circa year · sameYear: full dates that agree in the year alone ·
 * near: one year apart · off: two or three · misread: one digit of the year or two neighbouring ones exchanged, day and
 * month equal · apart: four to seven · conflict: eight or more.
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
  /** The listed date that fits best; undefined where the relation is unknown. */
  listed: ListedDate | undefined;
  /** Between the years; 0 where they agree or one is not known. */
  yearsApart: number;
}

const UNKNOWN: DateComparison = { relation: 'unknown', listed: undefined, yearsApart: 0 };
const RANK = Object.fromEntries(DATE_RELATIONS.map((relation, rank) => [relation, rank])) as Record<
  DateRelation,
  number
>;

/** The best relation to any of the listed dates: a list that gives several does not know which one is right. */
export function compareDates(
  query: QueryDate | undefined,
  dates: Uint32Array,
  from: number,
  to: number,
): DateComparison {
  if (query === undefined || from === to) return UNKNOWN;
  let best: DateComparison | undefined;
  for (let position = from; position < to; position += 1) {
    const comparison = compare(query, unpackDate(dates[position] as number));
    if (best === undefined || isBetter(comparison, best)) best = comparison;
  }
  return best ?? UNKNOWN;
}

function isBetter(one: DateComparison, other: DateComparison): boolean {
  const byRelation = RANK[one.relation] - RANK[other.relation];
  return byRelation !== 0 ? byRelation < 0 : one.yearsApart < other.yearsApart;
}

function compare(query: QueryDate, listed: ListedDate): DateComparison {
  const yearsApart = distanceInYears(query.year, listed);
  return { relation: relate(query, listed, yearsApart), listed, yearsApart };
}

function relate(query: QueryDate, listed: ListedDate, yearsApart: number): DateRelation {
  const { month, day } = query;
  if (listed.circa && yearsApart <= 2) return 'span';
  if (yearsApart === 0) {
    if (listed.lastYear !== listed.year) return 'span';
    if (listed.month === 0 || month === 0) return 'year';
    const bothFull = listed.day !== 0 && day !== 0;
    if (listed.month === month) return bothFull ? (listed.day === day ? 'day' : 'sameYear') : 'month';
    return bothFull && listed.month === day && listed.day === month ? 'swapped' : 'sameYear';
  }
  if (yearsApart === 1) return 'near';
  if (yearsApart < APART_FROM_YEARS) return 'off';
  const sameDay = day !== 0 && listed.day === day && listed.month === month;
  if (sameDay && isMisreadYear(query.year, listed.year)) return 'misread';
  return yearsApart < CONFLICT_FROM_YEARS ? 'apart' : 'conflict';
}

function distanceInYears(year: number, { year: first, lastYear }: ListedDate): number {
  if (year < first) return first - year;
  return year > lastYear ? year - lastYear : 0;
}

/** One digit differs, or two neighbouring ones are exchanged: 1971 and 1977, 1967 and 1976. */
function isMisreadYear(one: number, other: number): boolean {
  const a = String(one);
  const b = String(other);
  const differing = [0, 1, 2, 3].filter((position) => a[position] !== b[position]);
  if (differing.length === 1) return true;
  const [first, second] = differing as [number, number];
  return differing.length === 2 && second === first + 1 && a[first] === b[second] && a[second] === b[first];
}
