// Selects the names to compare with a query: those with two of its parts, found without opening the
// others.
//
// Each posting summarizes its name's other parts, so only the postings of the rarest parts are
// read, sequentially. Names are sorted by birth, so a query with a date reads only the range of
// each posting list that can still score. False positives are rejected when they are opened.
import { CONFLICT_FROM_YEARS } from '../dates/compare-dates.ts';
import { packDay } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { evenBound, lowerBound } from '../index/lower-bound.ts';
import { MARK_LONG, MARK_SPARSE, OTHERS_SIZE, tokenMark } from '../index/posting-others.ts';
import type { IndexSections, ScreeningIndex } from '../index/screening-index.ts';
import { getPartNames, type KnownPart, type NameList, NEARLY_THE_SAME, type PartNames } from './part-names.ts';
import type { TokenTable } from './token-table.ts';
import { createYearPlaces, type YearPlaces } from './year-places.ts';

/** Marks of the tokens that match the query's parts. */
const MARKS = 2 ** 16;

type WantedParts = ReturnType<typeof createWantedParts>;

export function createWantedParts({ nameTokens }: Pick<IndexSections, 'nameTokens'>) {
  /** One bit per mark, small enough for the L1 cache. */
  const bits = new Uint32Array(MARKS / 32);
  const add = (mark: number) => {
    bits[mark >>> 5]! |= 1 << (mark & 31);
  };
  const has = (mark: number) => (bits[mark >>> 5]! >>> (mark & 31)) & 1;

  function hasTwo(from: number, count: number): boolean {
    let found = 0;
    for (let at = from; at < from + count && found < 2; at += 1) found += has(tokenMark(nameTokens[at]!));
    return found === 2;
  }

  return {
    /** Sets the tokens to look for: those of these parts with at least this similarity. */
    begin(parts: readonly KnownPart[], leastSimilarity: number): void {
      bits.fill(0);
      add(MARK_SPARSE);
      add(MARK_LONG);
      for (const { tokens, similarities } of parts) {
        for (let at = 0; at < tokens.length && similarities[at]! >= leastSimilarity; at += 1)
          add(tokenMark(tokens[at]!));
      }
    },
    /** Returns whether the posting's name may contain another wanted token, or needs none. */
    mayHaveTwo(others: Uint32Array, posting: number): boolean {
      const first = others[OTHERS_SIZE * posting]!;
      const second = others[OTHERS_SIZE * posting + 1]!;
      if ((has(first & 0xffff) | has(first >>> 16)) !== 0)
        return (first & 0xffff) !== MARK_LONG || hasTwo(second, first >>> 16);
      return second !== 0 && (has(second & 0xffff) | has(second >>> 16)) !== 0;
    },
  };
}

/** People born on a day, as far as the list knows. */
interface SameDay {
  /** Range of names of people with no other date. They are adjacent. */
  from: number;
  to: number;
  /** Names of people for whom the list also gives other dates. */
  others: number[];
}

/** The result is reused by the next call. */
function createSameDay({ sections }: ScreeningIndex): (date: QueryDate | undefined) => SameDay {
  const { days, dayEntities, entityNames, entityNameCounts, yearNames } = sections;
  const liesElsewhere = (entity: number) => entityNames[entity]! < yearNames[0]! || entityNameCounts[entity] === 0;
  const elsewhere: number[] = [];
  for (let at = 0; at < days.length; at += 1) if (liesElsewhere(dayEntities[at]!)) elsewhere.push(at);
  /** Positions in `days`, ascending. */
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

/** Number of names opened together. */
const AT_ONCE = 32;
/** From this size, memory reads dominate. Smaller indexes fit the CPU caches. */
const LARGE = 200_000;
/** Factor by which a part must be rarer than the second rarest to open all of its names. */
const FAR_RARER = 100;
/** Maximum number of people born on a day for whom all names are read sequentially. */
const FEW_BORN = 1_000;

export interface Search {
  single: boolean;
  year: number | undefined;
  /** Cost of comparing one name. */
  price: number;
  see: (name: number) => void;
}

export interface DaySearch extends Pick<Search, 'price' | 'see'> {
  date: QueryDate | undefined;
  /** Returns whether a name has something similar to one of the parts. */
  hasPart: (name: number) => boolean;
}

type UseStretch = (list: NameList, from: number, to: number) => void;

export class CandidateFinder {
  /** Sum of prefetched values. Public, so that the engine cannot optimize the reads away. */
  readAhead = 0;
  /** Remaining cost budget of the following visits. */
  left = Number.POSITIVE_INFINITY;
  /** Whether a name was skipped because the budget was spent. */
  isSpent = false;
  readonly #sections: IndexSections;
  readonly #nameCount: number;
  readonly #table: TokenTable;
  readonly #yearPlaces: YearPlaces;
  readonly #sameDay: ReturnType<typeof createSameDay>;
  readonly #wanted: WantedParts;
  readonly #all: NameList;
  readonly #isLarge: boolean;
  /** Bit mask of names shown in this visit. Similar parts lead to the same names. */
  readonly #shown: Uint32Array;
  #shownNames = new Uint32Array(AT_ONCE);
  #shownCount = 0;
  /** Names below this index have no certain year. The window does not conflict in year. */
  #undated = 0;
  #windowFrom = 0;
  #windowTo = 0;
  #fromSlot = 0;
  #toSlot = 0;
  #isDated = false;
  #visitor: (name: number) => void = () => {};
  #price = 1;
  #isSingle = false;
  /** Names waiting to be opened. */
  readonly #waiting = new Uint32Array(AT_ONCE);
  #waits = 0;

  constructor(index: ScreeningIndex, table: TokenTable) {
    this.#sections = index.sections;
    this.#nameCount = index.nameCount;
    this.#table = table;
    this.#yearPlaces = createYearPlaces(index);
    this.#sameDay = createSameDay(index);
    this.#wanted = createWantedParts(index.sections);
    this.#all = { names: index.sections.postings, others: index.sections.postingOthers };
    this.#isLarge = index.nameCount > LARGE;
    this.#shown = new Uint32Array((index.nameCount + 31) >>> 5);
  }

  /** Sets the cost budget for the visits until the next call. Showing a name costs its `price`. */
  allow(effort: number): void {
    this.left = effort;
    this.isSpent = false;
  }

  /**
   * Visits every name with something similar to two of the parts, and some others, each once. Every
   * candidate has one of the `scanned` parts. `single` requests all names with one of them.
   */
  visit(scanned: readonly KnownPart[], skipped: readonly KnownPart[], search: Search): void {
    this.#visitor = search.see;
    this.#price = search.price;
    this.#isSingle = search.single;
    this.#setWindow(search.year);
    if (!this.#isSingle) this.#wanted.begin([...scanned, ...skipped], 0);
    for (const part of scanned) this.#scanWindow(part);
    this.#endVisit();
    if (search.year === undefined) return;
    const [rarest, second] = [...scanned, ...skipped.toReversed()];
    if (rarest) this.#scanOutside(rarest, second);
    this.#endVisit();
  }

  /** Visits names of people born on a day with something similar to a part, each once. */
  visitDay(parts: readonly KnownPart[], { date, price, see, hasPart }: DaySearch): void {
    const { entityNames, entityNameCounts, postings, postingOffsets } = this.#sections;
    const { from, to, others } = this.#sameDay(date);
    this.#visitor = see;
    this.#price = price;
    this.#isDated = true;
    for (const entity of others) {
      const first = entityNames[entity]!;
      for (let name = first; name < first + entityNameCounts[entity]!; name += 1) this.#see(name);
    }
    if (to - from <= FEW_BORN) {
      for (let name = from; name < to; name += 1) if (hasPart(name)) this.#see(name);
    } else {
      for (const part of parts) {
        const { few, frequent } = getPartNames(part, this.#sections);
        this.#seeBetween(few.names, 0, few.names.length, from, to);
        for (const token of frequent)
          this.#seeBetween(postings, postingOffsets[token]!, postingOffsets[token + 1]!, from, to);
      }
    }
    this.#endVisit();
  }

  #endVisit(): void {
    this.#openWaiting();
    for (let at = 0; at < this.#shownCount; at += 1) this.#shown[this.#shownNames[at]! >>> 5] = 0;
    this.#shownCount = 0;
  }

  /**
   * Prefetches the data of several names before opening them, because it is scattered over uncached
   * memory. The reads overlap instead of stalling one by one.
   */
  #openWaiting(): void {
    const { nameFlags, nameTokens, nameTokenOffsets, nameEntities, dates, dateOffsets } = this.#sections;
    const table = this.#table;
    const waiting = this.#waiting;
    const count = this.#waits;
    let sum = 0;
    for (let at = 0; at < count; at += 1) sum += nameFlags[waiting[at]!]! + nameEntities[waiting[at]!]!;
    for (let at = 0; at < count; at += 1) sum += nameTokens[nameTokenOffsets[waiting[at]!]!]!;
    if (this.#isDated)
      for (let at = 0; at < count; at += 1) sum += dates[dateOffsets[nameEntities[waiting[at]!]!]!] ?? 0;
    for (let at = 0; at < count; at += 1) {
      const end = nameTokenOffsets[waiting[at]! + 1]!;
      for (let place = nameTokenOffsets[waiting[at]!]!; place < end; place += 1)
        sum += table.flagsOf(nameTokens[place]!);
    }
    this.readAhead = sum;
    this.#waits = 0;
    for (let at = 0; at < count; at += 1) this.#visitor(waiting[at]!);
  }

  #see(name: number): void {
    const bit = 1 << (name & 31);
    if ((this.#shown[name >>> 5]! & bit) !== 0) return;
    this.#shown[name >>> 5]! |= bit;
    if (this.#shownCount === this.#shownNames.length) this.#shownNames = withMoreRoom(this.#shownNames);
    this.#shownNames[this.#shownCount] = name;
    this.#shownCount += 1;
    if (this.left < this.#price) {
      this.isSpent = true;
      return;
    }
    this.left -= this.#price;
    if (!this.#isLarge) {
      this.#visitor(name);
      return;
    }
    this.#waiting[this.#waits] = name;
    this.#waits += 1;
    if (this.#waits === AT_ONCE) this.#openWaiting();
  }

  #setWindow(year: number | undefined): void {
    this.#isDated = year !== undefined;
    if (year === undefined) return;
    const places = this.#yearPlaces;
    this.#fromSlot = places.slotOf(year - CONFLICT_FROM_YEARS + 1);
    this.#toSlot = places.slotOf(year + CONFLICT_FROM_YEARS);
    this.#undated = places.nameAt(0);
    this.#windowFrom = places.nameAt(this.#fromSlot);
    this.#windowTo = places.nameAt(this.#toSlot);
  }

  #placesOf(names: PartNames): Uint32Array[] {
    for (let at = names.places.length; at < names.frequent.length; at += 1)
      names.places.push(this.#yearPlaces.of(names.frequent[at]!));
    return names.places;
  }

  /** Scans a part's names in the window and those without a year. */
  #scanWindow(part: KnownPart): void {
    const { postingOffsets } = this.#sections;
    const names = getPartNames(part, this.#sections);
    const { few, frequent } = names;
    if (!this.#isDated) {
      this.#scan(few, 0, few.names.length);
      for (const token of frequent) this.#scan(this.#all, postingOffsets[token]!, postingOffsets[token + 1]!);
      return;
    }
    const { dated, inWindow, behind } = this.#stretchesOf(few);
    this.#scan(few, 0, dated);
    this.#scan(few, inWindow, behind);
    const places = this.#placesOf(names);
    for (let at = 0; at < frequent.length; at += 1) {
      this.#scan(this.#all, postingOffsets[frequent[at]!]!, places[at]![0]!);
      this.#scan(this.#all, places[at]![this.#fromSlot]!, places[at]![this.#toSlot]!);
    }
  }

  /** Visits the names outside the window whose tokens are nearly equal to a part. */
  #forOutside(part: KnownPart, use: UseStretch): void {
    const names = getPartNames(part, this.#sections);
    const { frequent, closeFew, closeFrequent } = names;
    const { dated, inWindow, behind } = this.#stretchesOf(closeFew);
    use(closeFew, dated, inWindow);
    use(closeFew, behind, closeFew.names.length);
    const places = this.#placesOf(names);
    for (let at = 0; at < closeFrequent; at += 1) {
      use(this.#all, places[at]![0]!, places[at]![this.#fromSlot]!);
      use(this.#all, places[at]![this.#toSlot]!, this.#sections.postingOffsets[frequent[at]! + 1]!);
    }
  }

  /** Returns where the dated names, the window and the names after it start in a list. */
  #stretchesOf({ names }: NameList): { dated: number; inWindow: number; behind: number } {
    const { length } = names;
    const dated = evenBound(names, 0, length, this.#undated, 0, this.#nameCount);
    const inWindow = evenBound(names, dated, length, this.#windowFrom, this.#undated, this.#nameCount);
    const behind = evenBound(names, inWindow, length, this.#windowTo, this.#windowFrom, this.#nameCount);
    return { dated, inWindow, behind };
  }

  #countOutside(part: KnownPart): number {
    let count = 0;
    this.#forOutside(part, (_, from, to) => {
      count += to - from;
    });
    return count;
  }

  /** With a conflicting year, names must be nearly equal and thus contain the rarest parts. */
  #scanOutside(rarest: KnownPart, second: KnownPart | undefined): void {
    this.#isSingle ||= second !== undefined && this.#countOutside(second) > FAR_RARER * this.#countOutside(rarest);
    if (!this.#isSingle) this.#wanted.begin(second ? [rarest, second] : [rarest], NEARLY_THE_SAME);
    this.#forOutside(rarest, (list, from, to) => this.#scan(list, from, to));
  }

  #scan({ names, others }: NameList, from: number, to: number): void {
    const isSingle = this.#isSingle;
    const wanted = this.#wanted;
    for (let at = from; at < to; at += 1) if (isSingle || wanted.mayHaveTwo(others, at)) this.#see(names[at]!);
  }

  /** Visits the names of a list within a range. */
  #seeBetween(list: Uint32Array, from: number, to: number, first: number, last: number): void {
    const start = evenBound(list, from, to, first, 0, this.#nameCount);
    for (let at = start; at < to && list[at]! < last; at += 1) this.#see(list[at]!);
  }
}

function withMoreRoom(names: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * names.length);
  more.set(names);
  return more;
}
