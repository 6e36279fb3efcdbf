// Which names are worth comparing with a query: those that share two of its parts, found without opening the others.
//
// A posting says what its name's other parts are, so that the postings of the rarest parts are all that is read, one behind the
// other. Names lie in order of birth, so a query with a date reads only the stretch of each posting list that can still score;
// names that only seem to qualify are turned away when they are opened.
import { CONFLICT_FROM_YEARS } from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { evenBound } from '../index/lower-bound.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import type { KnownPart } from './part-lookup.ts';
import { type NameList, NEARLY_THE_SAME, namesOf, type PartNames } from './part-names.ts';
import { createSameDay } from './same-day.ts';
import type { TokenTable } from './token-table.ts';
import { createWantedParts } from './wanted-parts.ts';
import { createYearPlaces } from './year-places.ts';

/** Names that are opened in one go. */
const AT_ONCE = 32;
/** Names of which all that is known fits into a core's caches; opening them one by one is quicker. */
const LARGE = 200_000;
/** A part that so many times fewer names have than the second rarest tells enough for those to be opened, whatever else they have. */
const FAR_RARER = 100;
/** Names of people born on one day up to which all of them are looked at: they lie side by side, their parts' names do not. */
const FEW_BORN = 1_000;

export interface CandidateFinder {
  readonly readAhead: number;
  /** How much the visits until the next call may cost together: a name that is shown costs its `price`. Any much unless told. */
  allow(effort: number): void;
  /** What is left of it. */
  readonly left: number;
  /** Whether a name was not shown because nothing was left. */
  readonly isSpent: boolean;
  /**
   * Visits every name that has something similar to two of the parts, and some others, each name once. Every candidate has
   * one of the `scanned` parts. `single` asks for all names that have one of them.
   */
  visit(scanned: readonly KnownPart[], skipped: readonly KnownPart[], search: Search): void;
  /** Visits the names of those born on a day that have something similar to one of the parts, each name once. */
  visitDay(parts: readonly KnownPart[], search: DaySearch): void;
}

export interface Search {
  single: boolean;
  year: number | undefined;
  /** What it costs to compare one name. */
  price: number;
  see: (name: number) => void;
}

export interface DaySearch extends Pick<Search, 'price' | 'see'> {
  date: QueryDate | undefined;
  /** Whether a name has something similar to one of the parts. */
  hasPart: (name: number) => boolean;
}

type UseStretch = (list: NameList, from: number, to: number) => void;

export function createCandidateFinder(index: ScreeningIndex, table: TokenTable): CandidateFinder {
  const { sections, nameCount } = index;
  const { postings, postingOffsets, nameFlags, nameTokens, nameTokenOffsets, nameEntities } = sections;
  const { entityNames, entityNameCounts, dates, dateOffsets } = sections;
  const sameDay = createSameDay(index);
  const yearPlaces = createYearPlaces(index);
  const wanted = createWantedParts(sections);
  const all: NameList = { names: postings, others: sections.postingOthers };
  const isLarge = nameCount > LARGE;
  /** Names that this visit has shown: parts that sound alike lead to the same names, over and over. */
  const shown = new Uint32Array((nameCount + 31) >>> 5);
  let shownNames = new Uint32Array(AT_ONCE);
  let shownCount = 0;
  /** Names up to here have no certain year; the window is where the query's year is not in conflict, as names and as slots. */
  let undated = 0;
  let windowFrom = 0;
  let windowTo = 0;
  let fromSlot = 0;
  let toSlot = 0;
  let isDated = false;
  let visitor: (name: number) => void = () => {};
  let price = 1;
  let isSingle = false;
  let left = Number.POSITIVE_INFINITY;
  let isSpent = false;
  /** Names that wait to be opened. */
  const waiting = new Uint32Array(AT_ONCE);
  let waits = 0;
  /** Where what is read ahead ends up; what nobody could ask for would not be read. */
  let readAhead = 0;

  /**
   * What is known of a name lies all over a memory that no cache holds. Read for several names side by side, it comes while the
   * others are still on their way; name by name, each would be waited for.
   */
  function openWaiting(): void {
    let sum = 0;
    for (let at = 0; at < waits; at += 1) sum += nameFlags[waiting[at]!]! + nameEntities[waiting[at]!]!;
    for (let at = 0; at < waits; at += 1) sum += nameTokens[nameTokenOffsets[waiting[at]!]!]!;
    if (isDated) for (let at = 0; at < waits; at += 1) sum += dates[dateOffsets[nameEntities[waiting[at]!]!]!] ?? 0;
    for (let at = 0; at < waits; at += 1) {
      const end = nameTokenOffsets[waiting[at]! + 1]!;
      for (let place = nameTokenOffsets[waiting[at]!]!; place < end; place += 1)
        sum += table.flagsOf(nameTokens[place]!);
    }
    readAhead = sum;
    const count = waits;
    waits = 0;
    for (let at = 0; at < count; at += 1) visitor(waiting[at]!);
  }

  function see(name: number): void {
    const bit = 1 << (name & 31);
    if ((shown[name >>> 5]! & bit) !== 0) return;
    shown[name >>> 5]! |= bit;
    if (shownCount === shownNames.length) shownNames = withMoreRoom(shownNames);
    shownNames[shownCount] = name;
    shownCount += 1;
    if (left < price) {
      isSpent = true;
      return;
    }
    left -= price;
    if (!isLarge) {
      visitor(name);
      return;
    }
    waiting[waits] = name;
    waits += 1;
    if (waits === AT_ONCE) openWaiting();
  }

  function setWindow(year: number | undefined): void {
    isDated = year !== undefined;
    if (year === undefined) return;
    fromSlot = yearPlaces.slotOf(year - CONFLICT_FROM_YEARS + 1);
    toSlot = yearPlaces.slotOf(year + CONFLICT_FROM_YEARS);
    undated = yearPlaces.nameAt(0);
    windowFrom = yearPlaces.nameAt(fromSlot);
    windowTo = yearPlaces.nameAt(toSlot);
  }

  function placesOf(names: PartNames): Uint32Array[] {
    for (let at = names.places.length; at < names.frequent.length; at += 1)
      names.places.push(yearPlaces.of(names.frequent[at]!));
    return names.places;
  }

  /** The names of a part that lie in the window or have no year. */
  function scanWindow(part: KnownPart): void {
    const names = namesOf(part, sections);
    const { few, frequent } = names;
    if (!isDated) {
      scan(few, 0, few.names.length);
      for (const token of frequent) scan(all, postingOffsets[token]!, postingOffsets[token + 1]!);
      return;
    }
    const { length } = few.names;
    const dated = evenBound(few.names, 0, length, undated, 0, nameCount);
    scan(few, 0, dated);
    const inWindow = evenBound(few.names, dated, length, windowFrom, undated, nameCount);
    if (inWindow < length && few.names[inWindow]! < windowTo)
      scan(few, inWindow, evenBound(few.names, inWindow, length, windowTo, windowFrom, nameCount));
    const places = placesOf(names);
    for (let at = 0; at < frequent.length; at += 1) {
      scan(all, postingOffsets[frequent[at]!]!, places[at]![0]!);
      scan(all, places[at]![fromSlot]!, places[at]![toSlot]!);
    }
  }

  /** The names outside the window of the tokens that are nearly the same as a part. */
  function forOutside(part: KnownPart, use: UseStretch): void {
    const names = namesOf(part, sections);
    const { frequent, closeFew, closeFrequent } = names;
    const { length } = closeFew.names;
    const dated = evenBound(closeFew.names, 0, length, undated, 0, nameCount);
    const inWindow = evenBound(closeFew.names, dated, length, windowFrom, undated, nameCount);
    use(closeFew, dated, inWindow);
    use(closeFew, evenBound(closeFew.names, inWindow, length, windowTo, windowFrom, nameCount), length);
    const places = placesOf(names);
    for (let at = 0; at < closeFrequent; at += 1) {
      use(all, places[at]![0]!, places[at]![fromSlot]!);
      use(all, places[at]![toSlot]!, postingOffsets[frequent[at]! + 1]!);
    }
  }

  function countOutside(part: KnownPart): number {
    let count = 0;
    forOutside(part, (_, from, to) => {
      count += to - from;
    });
    return count;
  }

  /** In conflict a name must be nearly the same, so it has the rarest parts nearly as they are. */
  function scanOutside(rarest: KnownPart, second: KnownPart | undefined): void {
    isSingle ||= second !== undefined && countOutside(second) > FAR_RARER * countOutside(rarest);
    if (!isSingle) wanted.begin(second ? [rarest, second] : [rarest], NEARLY_THE_SAME);
    forOutside(rarest, scan);
  }

  function scan({ names, others }: NameList, from: number, to: number): void {
    for (let at = from; at < to; at += 1) if (isSingle || wanted.mayHaveTwo(others, at)) see(names[at]!);
  }

  /** Sees the names of a list from one up to another. */
  function seeBetween(list: Uint32Array, from: number, to: number, first: number, last: number): void {
    for (let at = evenBound(list, from, to, first, 0, nameCount); at < to && list[at]! < last; at += 1) see(list[at]!);
  }

  function forgetShown(): void {
    for (let at = 0; at < shownCount; at += 1) shown[shownNames[at]! >>> 5] = 0;
    shownCount = 0;
  }
  return {
    get readAhead() {
      return readAhead;
    },
    get left() {
      return left;
    },
    get isSpent() {
      return isSpent;
    },
    allow(effort) {
      left = effort;
      isSpent = false;
    },
    visitDay(parts, { date, price: each, see: seeBorn, hasPart }) {
      const { from, to, others } = sameDay(date);
      visitor = seeBorn;
      price = each;
      isDated = true;
      for (const entity of others) {
        const first = entityNames[entity]!;
        for (let name = first; name < first + entityNameCounts[entity]!; name += 1) see(name);
      }
      if (to - from <= FEW_BORN) {
        for (let name = from; name < to; name += 1) if (hasPart(name)) see(name);
      } else {
        for (const part of parts) {
          const { few, frequent } = namesOf(part, sections);
          seeBetween(few.names, 0, few.names.length, from, to);
          for (const token of frequent)
            seeBetween(postings, postingOffsets[token]!, postingOffsets[token + 1]!, from, to);
        }
      }
      openWaiting();
      forgetShown();
    },
    visit(rarer, others, search) {
      visitor = search.see;
      price = search.price;
      isSingle = search.single;
      setWindow(search.year);
      if (!isSingle) wanted.begin([...rarer, ...others], 0);
      for (const part of rarer) scanWindow(part);
      openWaiting();
      forgetShown();
      if (search.year === undefined) return;
      const [rarest, second] = [...rarer, ...others.toReversed()];
      if (rarest) scanOutside(rarest, second);
      openWaiting();
      forgetShown();
    },
  };
}

function withMoreRoom(names: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * names.length);
  more.set(names);
  return more;
}
