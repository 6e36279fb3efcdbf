// Rows that a search has put off until its limit is higher: most of them are never looked at.
import type { ArenaViews } from './arena.ts';
import type { Block } from './block.ts';

/** Rows that wait at a time. */
export const MOST_POSTPONED = 16_384;
/** Number and bound of a row. */
const CELLS = 2;

export const POSTPONED_BYTES = MOST_POSTPONED * CELLS * 4;

export type PostponedRows = ReturnType<typeof createPostponedRows>;

interface Stretch {
  index: number;
  block: Block;
  /** The cell behind its last row. */
  end: number;
}

export function createPostponedRows({ ints, floats }: ArenaViews, at: number) {
  const start = at / 4;
  let end = start;
  let furthest = start;
  let stretches: Stretch[] = [];

  return {
    get count(): number {
      return (end - start) / CELLS;
    },
    /** The most that there were at a time: what is to be wiped. */
    get bytesUsed(): number {
      return (furthest - start) * 4;
    },
    add(index: number, block: Block, row: number, bound: number): void {
      ints[end] = row;
      floats[end + 1] = bound;
      end += CELLS;
      if (end > furthest) furthest = end;
      const last = stretches.at(-1);
      if (last?.index === index) last.end = end;
      else stretches.push({ index, block, end });
    },
    /** Forgets the rows whose bound is below the limit. */
    thin(limit: number): void {
      let from = start;
      end = start;
      for (const stretch of stretches) {
        for (; from < stretch.end; from += CELLS) {
          // Not below, rather than above: what is no number must be judged.
          if (floats[from + 1]! < limit) continue;
          ints[end] = ints[from]!;
          ints[end + 1] = ints[from + 1]!;
          end += CELLS;
        }
        stretch.end = end;
      }
    },
    /** Hands out the rows, block by block, as places of `number, bound` among the views' 32-bit cells, and forgets them. */
    take(judge: (index: number, block: Block, from: number, to: number) => void): void {
      let from = start;
      for (const stretch of stretches) {
        if (from < stretch.end) judge(stretch.index, stretch.block, from, stretch.end);
        from = stretch.end;
      }
      stretches = [];
      end = start;
    },
  };
}
