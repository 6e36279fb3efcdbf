// Which names are worth comparing with a query: those that share two of its parts, found without opening the others.
//
// One bit per name: at a million entities the bits still fit into a core's cache, and reading a posting costs next to
// nothing. Names that only seem to qualify are turned away when they are opened.
import { NAME_SPARSE } from '../index/build-index.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import type { KnownPart } from './part-lookup.ts';

/** Opening a name to see its parts costs about as much as reading this many postings. */
const POSTINGS_PER_NAME = 25;

export interface CandidateFinder {
  /**
   * Visits every name that has something similar to two of the parts, and some others, a name possibly twice. Every
   * candidate has one of the `scanned` parts. `single` asks for all names that have one of them.
   */
  visit(
    scanned: readonly KnownPart[],
    skipped: readonly KnownPart[],
    single: boolean,
    see: (name: number) => void,
  ): void;
}

export function createCandidateFinder({ sections, nameCount }: ScreeningIndex): CandidateFinder {
  const { postings, postingOffsets, nameFlags } = sections;
  const words = (nameCount + 31) >>> 5;
  /** Names that have a part that was scanned. */
  const met = new Uint32Array(words);
  /** Names that a single part may match. */
  const sparse = new Uint32Array(words);
  for (let name = 0; name < nameCount; name += 1) {
    if ((nameFlags[name]! & NAME_SPARSE) !== 0) sparse[name >>> 5]! |= 1 << (name & 31);
  }

  function scan({ tokens }: KnownPart, see: (name: number) => void): void {
    for (const token of tokens) {
      const end = postingOffsets[token + 1]!;
      for (let at = postingOffsets[token]!; at < end; at += 1) {
        const name = postings[at]!;
        const word = name >>> 5;
        const bit = 1 << (name & 31);
        if (((met[word]! | sparse[word]!) & bit) !== 0) see(name);
        met[word]! |= bit;
      }
    }
  }

  function confirm({ tokens }: KnownPart, see: (name: number) => void): void {
    for (const token of tokens) {
      const end = postingOffsets[token + 1]!;
      for (let at = postingOffsets[token]!; at < end; at += 1) {
        const name = postings[at]!;
        if ((met[name >>> 5]! & (1 << (name & 31))) !== 0) see(name);
      }
    }
  }

  function seeAll({ tokens }: KnownPart, see: (name: number) => void): void {
    for (const token of tokens) {
      const end = postingOffsets[token + 1]!;
      for (let at = postingOffsets[token]!; at < end; at += 1) see(postings[at]!);
    }
  }

  function forget({ tokens }: KnownPart): void {
    for (const token of tokens) {
      const end = postingOffsets[token + 1]!;
      for (let at = postingOffsets[token]!; at < end; at += 1) met[postings[at]! >>> 5] = 0;
    }
  }

  return {
    visit(scanned, skipped, single, see) {
      const toScan = scanned.reduce((sum, part) => sum + part.postings, 0);
      const toConfirm = skipped.reduce((sum, part) => sum + part.postings, 0);
      if (single || toConfirm > POSTINGS_PER_NAME * toScan) {
        for (const part of scanned) seeAll(part, see);
        return;
      }
      for (const part of scanned) scan(part, see);
      for (const part of skipped) confirm(part, see);
      for (const part of scanned) forget(part);
    },
  };
}
