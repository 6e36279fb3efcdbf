// Which tokens the parts of a query may be taken for, as marks of postings: tells whether a posting's name may have a second one.
import { MARK_LONG, MARK_SPARSE, markOf, OTHERS_SIZE } from '../index/posting-others.ts';
import type { IndexSections } from '../index/screening-index.ts';
import type { KnownPart } from './part-names.ts';

const MARKS = 2 ** 16;

export interface WantedParts {
  /** The tokens of these parts that are at least so similar are looked for from now on. */
  begin(parts: readonly KnownPart[], leastSimilarity: number): void;
  /** Whether the name of a posting of one of them may have another one of them, or needs none. */
  mayHaveTwo(others: Uint32Array, posting: number): boolean;
}

export function createWantedParts({ nameTokens }: Pick<IndexSections, 'nameTokens'>): WantedParts {
  /** One per mark: so few that they stay in the fastest cache. */
  const bits = new Uint32Array(MARKS / 32);
  const add = (mark: number) => {
    bits[mark >>> 5]! |= 1 << (mark & 31);
  };
  const has = (mark: number) => (bits[mark >>> 5]! >>> (mark & 31)) & 1;

  function hasTwo(from: number, count: number): boolean {
    let found = 0;
    for (let at = from; at < from + count && found < 2; at += 1) found += has(markOf(nameTokens[at]!));
    return found === 2;
  }

  return {
    begin(parts, leastSimilarity) {
      bits.fill(0);
      add(MARK_SPARSE);
      add(MARK_LONG);
      for (const { tokens, similarities } of parts) {
        for (let at = 0; at < tokens.length && similarities[at]! >= leastSimilarity; at += 1) add(markOf(tokens[at]!));
      }
    },
    mayHaveTwo(others, posting) {
      const first = others[OTHERS_SIZE * posting]!;
      const second = others[OTHERS_SIZE * posting + 1]!;
      if ((has(first & 0xffff) | has(first >>> 16)) !== 0)
        return (first & 0xffff) !== MARK_LONG || hasTwo(second, first >>> 16);
      return second !== 0 && (has(second & 0xffff) | has(second >>> 16)) !== 0;
    },
  };
}
