// Rows that a search postpones until its limit is higher. Most of them are never read.
import type { ArenaViews } from './arena.ts';
import type { Block } from './block.ts';

/** Maximum number of postponed rows. */
export const MOST_POSTPONED = 16_384;
/** Number and bound of a row. */
const CELLS = 2;

export const POSTPONED_BYTES = MOST_POSTPONED * CELLS * 4;

export type PostponedRows = ReturnType<typeof createPostponedRows>;

interface Stretch {
  index: number;
  block: Block;
  /** The cell after its last row. */
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
    /** High-water mark of used cells, which must be wiped. */
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
    /** Drops the rows whose bound is below the limit. */
    thin(limit: number): void {
      let from = start;
      end = start;
      for (const stretch of stretches) {
        for (; from < stretch.end; from += CELLS) {
          // "Not below" instead of "above", because NaN must be checked.
          if (floats[from + 1]! < limit) continue;
          ints[end] = ints[from]!;
          ints[end + 1] = ints[from + 1]!;
          end += CELLS;
        }
        stretch.end = end;
      }
    },
    /** Hands out the rows by block, as positions of `number, bound` in 32-bit cells. */
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
