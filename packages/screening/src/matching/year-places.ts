// Where the names of each year begin among those of a listed part: a search with a date asks for it part by part, and finding it
// anew each time would wait for memory at every step.
import { lowerBound } from '../index/lower-bound.ts';
import { FIRST_YEAR } from '../index/order-names.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';

export type YearPlaces = ReturnType<typeof createYearPlaces>;

export function createYearPlaces({ sections }: ScreeningIndex) {
  const { yearNames, postings, postingOffsets } = sections;
  // Lists know people of a hundred years or so: the empty years on both sides are left out.
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
    /** Which of the places a year has; names without a certain year come before the first. */
    slotOf: (year: number): number => Math.min(names.length - 1, Math.max(0, year - FIRST_YEAR - first)),
    /** The first name of a slot. */
    nameAt: (slot: number): number => names[slot]!,
    /** Per slot where the names from there on begin among the postings of a token. */
    of(token: number): Uint32Array {
      const before = known.get(token);
      if (before) return before;
      const places = find(token);
      known.set(token, places);
      return places;
    },
  };
}
