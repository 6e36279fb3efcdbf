// Who was born on a day, as far as a list knows days.
import { packDay } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { lowerBound } from '../index/lower-bound.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';

export interface SameDay {
  /** The names of those with no other date lie side by side: from here up to there. */
  from: number;
  to: number;
  /** Those of which the list gives this day among others. */
  others: number[];
}

/** For one search after the other: what it gives is reused by the next call. */
export function createSameDay({ sections }: ScreeningIndex): (date: QueryDate | undefined) => SameDay {
  const { days, dayEntities, entityNames, entityNameCounts, yearNames } = sections;
  const liesElsewhere = (entity: number) => entityNames[entity]! < yearNames[0]! || entityNameCounts[entity] === 0;
  const elsewhere: number[] = [];
  for (let at = 0; at < days.length; at += 1) if (liesElsewhere(dayEntities[at]!)) elsewhere.push(at);
  /** Places in `days`, ascending. */
  const places = Uint32Array.from(elsewhere);
  const found: SameDay = { from: 0, to: 0, others: [] };

  return (date) => {
    found.from = 0;
    found.to = 0;
    found.others.length = 0;
    if (date === undefined || date.day === 0) return found;
    const day = packDay(date);
    let first = lowerBound(days, 0, days.length, day);
    let last = lowerBound(days, first, days.length, day + 1) - 1;
    for (let at = lowerBound(places, 0, places.length, first); at < places.length && places[at]! <= last; at += 1)
      found.others.push(dayEntities[places[at]!]!);
    while (first <= last && liesElsewhere(dayEntities[first]!)) first += 1;
    while (first <= last && liesElsewhere(dayEntities[last]!)) last -= 1;
    if (first > last) return found;
    found.from = entityNames[dayEntities[first]!]!;
    found.to = entityNames[dayEntities[last]!]! + entityNameCounts[dayEntities[last]!]!;
    return found;
  };
}
