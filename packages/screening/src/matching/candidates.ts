// Which names are worth comparing with a query: those that share two of its parts, found without opening the others.
//
// One bit per name: at a million entities the bits still fit into a core's cache, and reading a posting costs next to
// nothing. Names lie in order of birth year, so a query with a date reads only the stretch of each posting list that can
// still score; names that only seem to qualify are turned away when they are opened.
import { CONFLICT_FROM_YEARS } from '../dates/compare-dates.ts';
import { lowerBound } from '../index/lower-bound.ts';
import { NAME_SPARSE } from '../index/name-flags.ts';
import { FIRST_YEAR } from '../index/order-names.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import type { KnownPart } from './part-lookup.ts';
import type { TokenTable } from './token-table.ts';

/** Opening a name to see its parts costs about as much as reading this many postings. */
const POSTINGS_PER_NAME = 100;
/** Names that are opened in one go. */
const AT_ONCE = 32;
/** Names of which all that is known fits into a core's caches; opening them one by one is quicker. */
const LARGE = 200_000;
/** Where the birth year is in conflict, only a name that is nearly the same is still a candidate. */
const NEARLY_THE_SAME = 0.9;

export interface CandidateFinder {
  readonly readAhead: number;
  /**
   * Visits every name that has something similar to two of the parts, and some others, a name possibly twice. Every
   * candidate has one of the `scanned` parts. `single` asks for all names that have one of them. Parts that are the same word
   * are given once: a name that has the word once has one of the parts, not two.
   */
  visit(scanned: readonly KnownPart[], skipped: readonly KnownPart[], search: Search): void;
  /** Visits the names that are given one by one. */
  visitGiven(give: (take: (name: number) => void) => void, see: (name: number) => void): void;
}

/** Each word once; as they are where there is only one. */
export function onceEach(parts: readonly KnownPart[]): { words: readonly KnownPart[]; hasTwins: boolean } {
  const words = parts.filter((part, at) => parts.indexOf(part) === at);
  return words.length < 2 ? { words: parts, hasTwins: false } : { words, hasTwins: words.length < parts.length };
}

export interface Search {
  single: boolean;
  /** Whether a part stands for several that are the same word, so that a name may have it twice. */
  hasTwins: boolean;
  year: number | undefined;
  see: (name: number) => void;
}

type Read = (from: number, to: number) => void;
type Reader = (part: KnownPart, read: Read) => void;

export function createCandidateFinder({ sections, nameCount }: ScreeningIndex, table: TokenTable): CandidateFinder {
  const { postings, postingOffsets, nameFlags, nameTokens, nameTokenOffsets, nameEntities, yearNames } = sections;
  const words = (nameCount + 31) >>> 5;
  const isLarge = nameCount > LARGE;
  /** Names that have a part that was scanned. */
  const met = new Uint32Array(words);
  /** Names that a single part may match. */
  const sparse = new Uint32Array(words);
  for (let name = 0; name < nameCount; name += 1) {
    if ((nameFlags[name]! & NAME_SPARSE) !== 0) sparse[name >>> 5]! |= 1 << (name & 31);
  }
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

  /** Names up to here have no certain year; the window is where the query's year is not in conflict. */
  let undated = 0;
  let windowFrom = 0;
  let windowTo = 0;
  let visitor: (name: number) => void = () => {};
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
    for (let at = 0; at < waits; at += 1) {
      const end = nameTokenOffsets[waiting[at]! + 1]!;
      for (let place = nameTokenOffsets[waiting[at]!]!; place < end; place += 1)
        sum += table.entryOf(nameTokens[place]!);
    }
    readAhead = sum;
    const count = waits;
    waits = 0;
    for (let at = 0; at < count; at += 1) visitor(waiting[at]!);
  }

  function see(name: number): void {
    if (!isLarge) {
      visitor(name);
      return;
    }
    waiting[waits] = name;
    waits += 1;
    if (waits === AT_ONCE) openWaiting();
  }

  function setWindow(year: number | undefined): void {
    undated = year === undefined ? nameCount : yearNames[0]!;
    windowFrom = year === undefined ? nameCount : namesBefore(year - CONFLICT_FROM_YEARS + 1);
    windowTo = year === undefined ? nameCount : namesBefore(year + CONFLICT_FROM_YEARS);
  }

  /** How many names come before those of a year. */
  function namesBefore(year: number): number {
    return yearNames[Math.min(yearNames.length - 1, Math.max(0, year - FIRST_YEAR))]!;
  }

  /** First posting at or after a name. */
  const findName = (from: number, to: number, name: number) => lowerBound(postings, from, to, name);

  /** Reads the postings of a part that lie in the window or have no year. */
  function readWindow({ tokens }: KnownPart, read: Read): void {
    for (const token of tokens) {
      const from = postingOffsets[token]!;
      const to = postingOffsets[token + 1]!;
      if (undated === nameCount) {
        read(from, to);
        continue;
      }
      const dated = findName(from, to, undated);
      const inWindow = findName(dated, to, windowFrom);
      if (dated > from) read(from, dated);
      if (inWindow < to && postings[inWindow]! < windowTo) read(inWindow, findName(inWindow, to, windowTo));
    }
  }

  /** Reads the postings outside the window of the tokens that are nearly the same as a part. */
  function readOutside({ tokens, similarities }: KnownPart, read: Read): void {
    for (let at = 0; at < tokens.length; at += 1) {
      if (similarities[at]! < NEARLY_THE_SAME) continue;
      const to = postingOffsets[tokens[at]! + 1]!;
      const dated = findName(postingOffsets[tokens[at]!]!, to, undated);
      const inWindow = findName(dated, to, windowFrom);
      if (inWindow > dated) read(dated, inWindow);
      const behind = findName(inWindow, to, windowTo);
      if (behind < to) read(behind, to);
    }
  }

  const scan: Read = (from, to) => {
    for (let at = from; at < to; at += 1) {
      const name = postings[at]!;
      const word = name >>> 5;
      const bit = 1 << (name & 31);
      if (((met[word]! | seenOnce[word]!) & bit) !== 0) see(name);
      met[word]! |= bit;
    }
  };
  const confirm: Read = (from, to) => {
    for (let at = from; at < to; at += 1) {
      const name = postings[at]!;
      if ((met[name >>> 5]! & (1 << (name & 31))) !== 0) see(name);
    }
  };
  const seeAll: Read = (from, to) => {
    for (let at = from; at < to; at += 1) see(postings[at]!);
  };
  const forget: Read = (from, to) => {
    for (let at = from; at < to; at += 1) met[postings[at]! >>> 5] = 0;
  };

  /** Visits what two parts share, or all that the rarer one has where the other is in too many names to read. */
  function intersect(rarer: readonly KnownPart[], others: readonly KnownPart[], single: boolean, reader: Reader): void {
    const toScan = rarer.reduce((sum, part) => sum + part.postings, 0);
    const toConfirm = others.reduce((sum, part) => sum + part.postings, 0);
    if (single || toConfirm > POSTINGS_PER_NAME * toScan) {
      for (const part of rarer) reader(part, seeAll);
      return;
    }
    for (const part of rarer) reader(part, scan);
    for (const part of others) reader(part, confirm);
    for (const part of rarer) reader(part, forget);
  }

  return {
    get readAhead() {
      return readAhead;
    },
    visitGiven(give, seeGiven) {
      visitor = seeGiven;
      give(see);
      openWaiting();
    },
    visit(scanned, skipped, search) {
      visitor = search.see;
      if (search.hasTwins) sparseOrRepeated ??= findRepeated();
      seenOnce = (search.hasTwins ? sparseOrRepeated : undefined) ?? sparse;
      setWindow(search.year);
      intersect(scanned, skipped, search.single, readWindow);
      openWaiting();
      if (search.year === undefined) return;
      // In conflict a name must be nearly the same, so it has the rarest parts nearly as they are.
      const [rarest, second] = [...scanned, ...skipped.toReversed()];
      if (rarest) intersect([rarest], second ? [second] : [], search.single, readOutside);
      openWaiting();
    },
  };
}
