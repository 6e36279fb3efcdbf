// Positions of each year's names within a part's postings. Searches with a date need them for every
// part, and a binary search would cost a cache miss per step.
import { lowerBound } from '../index/lower-bound.ts';
import { FIRST_YEAR } from '../index/order-names.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';

export type YearPlaces = ReturnType<typeof createYearPlaces>;

export function createYearPlaces({ sections }: ScreeningIndex) {
  const { yearNames, postings, postingOffsets } = sections;
  // Lists cover about a hundred years, so empty years on both sides are omitted.
  let first = 0;
  let last = yearNames.length - 1;
  while (first < last && yearNames[first + 1] === yearNames[first]) first += 1;
  while (last > first && yearNames[last - 1] === yearNames[last]) last -= 1;
  const names = yearNames.slice(first, last + 1);
  const known = new Map<number, Uint32Array>();

  function find(token: number): Uint32Array {
    const places = new Uint32Array(names.length);
    const to = postingOffsets[token + 1]!;
    let at = postingOffsets[token]!;
    for (let slot = 0; slot < names.length; slot += 1) {
      at = lowerBound(postings, at, to, names[slot]!);
      places[slot] = at;
    }
    return places;
  }

  return {
    /** Returns the slot of a year. Names without a certain year come before the first. */
    slotOf: (year: number): number => Math.min(names.length - 1, Math.max(0, year - FIRST_YEAR - first)),
    /** Returns the first name of a slot. */
    nameAt: (slot: number): number => names[slot]!,
    /** Returns, per slot, where its names start among a token's postings. */
    of(token: number): Uint32Array {
      const before = known.get(token);
      if (before) return before;
      const places = find(token);
      known.set(token, places);
      return places;
    },
  };
}
