// Which names are worth comparing with a query: those that share two of its parts, found without opening the others.
//
// One bit per name: at a million entities the bits still fit into a core's cache, and reading a posting costs next to
// nothing. Names lie in order of birth, so a query with a date reads only the stretch of each posting list that can
// still score; names that only seem to qualify are turned away when they are opened.
import { CONFLICT_FROM_YEARS } from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { evenBound } from '../index/lower-bound.ts';
import { NAME_SPARSE } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { createFrequentParts } from './frequent-parts.ts';
import type { KnownPart } from './part-lookup.ts';
import { NEARLY_THE_SAME, namesOf, type PartNames } from './part-names.ts';
import { createSameDay } from './same-day.ts';
import type { TokenTable } from './token-table.ts';
import { createYearPlaces } from './year-places.ts';

/** Opening a name to see its parts costs about as much as reading this many postings. */
const NAMES_READ_PER_NAME = 100;
/** Names that are opened in one go. */
const AT_ONCE = 32;
/** Names of which all that is known fits into a core's caches; opening them one by one is quicker. */
const LARGE = 200_000;
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
   * one of the `scanned` parts. `single` asks for all names that have one of them. Parts that are the same word are given
   * once: a name that has the word once has one of the parts, not two.
   */
  visit(scanned: readonly KnownPart[], skipped: readonly KnownPart[], search: Search): void;
  /** Visits the names of those born on a day that have something similar to one of the parts, each name once. */
  visitDay(parts: readonly KnownPart[], search: DaySearch): void;
}

/** Each word once; as they are where there is only one. */
export function onceEach(parts: readonly KnownPart[]): { words: readonly KnownPart[]; hasTwins: boolean } {
  const words = parts.filter((part, at) => parts.indexOf(part) === at);
  return words.length < 2 ? { words: parts, hasTwins: false } : { words, hasTwins: words.length < parts.length };
}

/** Whether one of the parts may be taken for what another may be taken for most likely: Mohamed and Muhammad. */
export function shareTokens(parts: readonly KnownPart[]): boolean {
  return parts.some((part, at) =>
    parts.some((other, place) => place > at && other !== part && (shareFirst(part, other) || shareFirst(other, part))),
  );
}

function shareFirst({ tokens: [first] }: KnownPart, { tokens }: KnownPart): boolean {
  return first !== undefined && tokens.includes(first);
}

export interface Search {
  single: boolean;
  /** Whether some parts sound so much alike that a name may have both by a single word, see shareTokens. */
  mayShare: boolean;
  /** Whether a part stands for several that are the same word, so that a name may have it twice. */
  hasTwins: boolean;
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

/** Stretches of lists of names, how many there are, and how many names they have together. What lies behind them is of no account. */
interface Stretches {
  lists: Uint32Array[];
  from: number[];
  to: number[];
  count: number;
  names: number;
}
type AddStretches = (part: KnownPart, stretches: Stretches) => void;

const noStretches = (): Stretches => ({ lists: [], from: [], to: [], count: 0, names: 0 });

function emptied(stretches: Stretches): Stretches {
  stretches.count = 0;
  stretches.names = 0;
  return stretches;
}

function addStretch(stretches: Stretches, list: Uint32Array, from: number, to: number): void {
  if (from >= to) return;
  stretches.lists[stretches.count] = list;
  stretches.from[stretches.count] = from;
  stretches.to[stretches.count] = to;
  stretches.count += 1;
  stretches.names += to - from;
}

export function createCandidateFinder(index: ScreeningIndex, table: TokenTable): CandidateFinder {
  const { sections, nameCount } = index;
  const { postings, postingOffsets, nameFlags, nameTokens, nameTokenOffsets, nameEntities } = sections;
  const { entityNames, entityNameCounts, dates, dateOffsets } = sections;
  const sameDay = createSameDay(index);
  const yearPlaces = createYearPlaces(index);
  const isLarge = nameCount > LARGE;
  /** Names that have a part that was scanned, and those that a single part may match: the first are asked for far more often. */
  const met = new Uint32Array((nameCount + 31) >>> 5);
  const sparse = new Uint32Array(met.length);
  for (let name = 0; name < nameCount; name += 1) {
    if ((nameFlags[name]! & NAME_SPARSE) !== 0) sparse[name >>> 5]! |= 1 << (name & 31);
  }
  /** Names that this visit has shown: parts that sound alike lead to the same names, over and over. */
  const shown = new Uint32Array(sparse.length);
  let shownNames = new Uint32Array(AT_ONCE);
  let shownCount = 0;
  /** With those that have a word twice; made when it is first asked for. */
  let sparseOrRepeated: Uint32Array | undefined;
  let seenOnce: Uint32Array = sparse;

  function findRepeated(): Uint32Array {
    const found = sparse.slice();
    for (let name = 0; name < nameCount; name += 1) {
      const end = nameTokenOffsets[name + 1]!;
      for (let one = nameTokenOffsets[name]!; one < end; one += 1) {
        for (let other = one + 1; other < end; other += 1) {
          if (nameTokens[one] === nameTokens[other]) found[name >>> 5]! |= 1 << (name & 31);
        }
      }
    }
    return found;
  }

  /** Names up to here have no certain year; the window is where the query's year is not in conflict, as names and as slots. */
  let undated = 0;
  let windowFrom = 0;
  let windowTo = 0;
  let fromSlot = 0;
  let toSlot = 0;
  let isDated = false;
  let visitor: (name: number) => void = () => {};
  let price = 1;
  let left = Number.POSITIVE_INFINITY;
  let isSpent = false;
  /** Names that wait to be opened. */
  const waiting = new Uint32Array(AT_ONCE);
  let waits = 0;
  const frequentBits = createFrequentParts(index);
  /** Of the parts of this visit, where some lead to the same tokens. */
  const tokensRead = new Set<number>();
  let mayShare = false;
  const scanned = noStretches();
  const confirmed = noStretches();
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
    undated = nameCount;
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
  function addWindow(part: KnownPart, stretches: Stretches): void {
    const names = namesOf(part, sections);
    const { few, frequent } = names;
    if (undated === nameCount) {
      addStretch(stretches, few, 0, few.length);
      for (const token of frequent)
        if (isNewToken(token)) addStretch(stretches, postings, postingOffsets[token]!, postingOffsets[token + 1]!);
      return;
    }
    const dated = evenBound(few, 0, few.length, undated, 0, nameCount);
    addStretch(stretches, few, 0, dated);
    const inWindow = evenBound(few, dated, few.length, windowFrom, undated, nameCount);
    if (inWindow < few.length && few[inWindow]! < windowTo)
      addStretch(stretches, few, inWindow, evenBound(few, inWindow, few.length, windowTo, windowFrom, nameCount));
    const places = placesOf(names);
    for (let at = 0; at < frequent.length; at += 1) {
      if (!isNewToken(frequent[at]!)) continue;
      addStretch(stretches, postings, postingOffsets[frequent[at]!]!, places[at]![0]!);
      addStretch(stretches, postings, places[at]![fromSlot]!, places[at]![toSlot]!);
    }
  }

  /** Whether this is the first part that leads to a token: what a name has once must not count twice. */
  function isNewToken(token: number): boolean {
    if (!mayShare) return true;
    if (tokensRead.has(token)) return false;
    tokensRead.add(token);
    return true;
  }

  /** The names outside the window of the tokens that are nearly the same as a part. */
  function addOutside(part: KnownPart, stretches: Stretches): void {
    if (mayShare) {
      const { tokens, similarities } = part;
      for (let at = 0; at < tokens.length && similarities[at]! >= NEARLY_THE_SAME; at += 1)
        if (isNewToken(tokens[at]!))
          addOutsideOf(postings, postingOffsets[tokens[at]!]!, postingOffsets[tokens[at]! + 1]!, stretches);
      return;
    }
    const names = namesOf(part, sections);
    const { frequent, closeFew, closeFrequent } = names;
    addOutsideOf(closeFew, 0, closeFew.length, stretches);
    const places = placesOf(names);
    for (let at = 0; at < closeFrequent; at += 1) {
      addStretch(stretches, postings, places[at]![0]!, places[at]![fromSlot]!);
      addStretch(stretches, postings, places[at]![toSlot]!, postingOffsets[frequent[at]! + 1]!);
    }
  }

  function addOutsideOf(list: Uint32Array, from: number, to: number, stretches: Stretches): void {
    const dated = evenBound(list, from, to, undated, 0, nameCount);
    const inWindow = evenBound(list, dated, to, windowFrom, undated, nameCount);
    addStretch(stretches, list, dated, inWindow);
    addStretch(stretches, list, evenBound(list, inWindow, to, windowTo, windowFrom, nameCount), to);
  }

  /** Sees the names of a list from one up to another. */
  function seeBetween(list: Uint32Array, from: number, to: number, first: number, last: number): void {
    for (let at = evenBound(list, from, to, first, 0, nameCount); at < to && list[at]! < last; at += 1) see(list[at]!);
  }

  function scan(list: Uint32Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const name = list[at]!;
      const word = name >>> 5;
      const bit = 1 << (name & 31);
      if (((met[word]! | seenOnce[word]!) & bit) !== 0) see(name);
      met[word]! |= bit;
    }
  }
  function scanBits(list: Uint32Array, from: number, to: number, others: Uint32Array): void {
    for (let at = from; at < to; at += 1) {
      const name = list[at]!;
      const word = name >>> 5;
      const bit = 1 << (name & 31);
      if (((met[word]! | seenOnce[word]! | others[word]!) & bit) !== 0) see(name);
      met[word]! |= bit;
    }
  }
  function confirm(list: Uint32Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const name = list[at]!;
      if ((met[name >>> 5]! & (1 << (name & 31))) !== 0) see(name);
    }
  }
  function seeAll(list: Uint32Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) see(list[at]!);
  }
  function forget(list: Uint32Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) met[list[at]! >>> 5] = 0;
  }
  function forgetShown(): void {
    for (let at = 0; at < shownCount; at += 1) shown[shownNames[at]! >>> 5] = 0;
    shownCount = 0;
  }
  /** Visits what two parts share, or all that the rarer one has where the other is in too many names to read. */
  function intersect(
    rarer: readonly KnownPart[],
    others: readonly KnownPart[],
    search: Search,
    add: AddStretches,
  ): void {
    const toScan = emptied(scanned);
    mayShare = search.mayShare;
    tokensRead.clear();
    for (const part of rarer) add(part, toScan);
    const isOne = !search.single && others.length === 1 && add === addWindow && !search.mayShare;
    const bits = isOne ? frequentBits(others[0]!) : undefined;
    const toConfirm = emptied(confirmed);
    if (!search.single && bits === undefined) for (const part of others) add(part, toConfirm);
    const { count } = toScan;
    if (search.single || toConfirm.names > NAMES_READ_PER_NAME * toScan.names) {
      for (let at = 0; at < count; at += 1) seeAll(toScan.lists[at]!, toScan.from[at]!, toScan.to[at]!);
    } else {
      for (let at = 0; at < count; at += 1) {
        if (bits) scanBits(toScan.lists[at]!, toScan.from[at]!, toScan.to[at]!, bits);
        else scan(toScan.lists[at]!, toScan.from[at]!, toScan.to[at]!);
      }
      for (let at = 0; at < toConfirm.count; at += 1)
        confirm(toConfirm.lists[at]!, toConfirm.from[at]!, toConfirm.to[at]!);
    }
    for (let at = 0; at < count; at += 1) forget(toScan.lists[at]!, toScan.from[at]!, toScan.to[at]!);
    forgetShown();
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
          seeBetween(few, 0, few.length, from, to);
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
      const mayRepeat = search.hasTwins || search.mayShare;
      if (mayRepeat) sparseOrRepeated ??= findRepeated();
      seenOnce = (mayRepeat ? sparseOrRepeated : undefined) ?? sparse;
      setWindow(search.year);
      intersect(rarer, others, search, addWindow);
      openWaiting();
      if (search.year === undefined) return;
      // In conflict a name must be nearly the same, so it has the rarest parts nearly as they are.
      const [rarest, second] = [...rarer, ...others.toReversed()];
      if (rarest) intersect([rarest], second ? [second] : [], search, addOutside);
      openWaiting();
    },
  };
}

function withMoreRoom(names: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * names.length);
  more.set(names);
  return more;
}
