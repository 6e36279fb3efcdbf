// Scans blocks for the best hits of one query: coarse bounds, then fine ones, then double precision for what is left.
import type { ArenaViews } from './arena.ts';
import type { BestHits } from './best-hits.ts';
import { type Block, type Layout, MAX_BLOCK_ROWS } from './block.ts';
import type { Kernel } from './kernel/kernel.ts';
import { multiply } from './multiply.ts';
import { type PreparedQuery, prepareQuery, queryBytes } from './prepare-query.ts';

/** Rows in a turn of the kernel: after it the limit is raised to the worst of the hits so far. */
const FIRST_TURN = 16;
const LAST_TURN = 1024;

/**
 * A coarse scan takes half of the time of a fine one, but each row that it leaves over costs four times what it would
 * have cost in line, because its memory is fetched out of turn: 24, 48 and about 200 ns for 512 dimensions on a
 * Neoverse N1. Beyond this share of the rows the fine scan alone is quicker.
 */
const MOST_LEFT_OVER = 0.12;
/** Turns by fine scan after a coarse one that left over too much; the limit rises meanwhile. */
const FINE_TURNS = 8;

const SLOT_BITS = Math.log2(MAX_BLOCK_ROWS);

/** A row's number in its gallery: its block's number and its own in one. */
export function slotOf(block: number, row: number): number {
  return block * MAX_BLOCK_ROWS + row;
}

export function blockOf(slot: number): number {
  return Math.floor(slot / MAX_BLOCK_ROWS);
}

export function rowOf(slot: number): number {
  return slot & ((1 << SLOT_BITS) - 1);
}

/** Bytes of the arena that a thread needs for itself: a query, the rows of a turn, and the rows with their bounds. */
export function scratchBytes(layout: Layout): number {
  return queryBytes(layout) + LAST_TURN * 4 + LAST_TURN * 8;
}

export interface Scanner {
  /** Offers every row below `rows` of a block that may be among the best. */
  scan(index: number, block: Block, rows: number): void;
  /** Wipes the query, which may be the face of somebody who is removed next, and what was found. */
  end(): void;
}

export interface ScanParts {
  kernel: Kernel;
  views: ArenaViews;
  /** Where this thread's scratch lies. */
  scratchAt: number;
  layout: Layout;
}

export function createScanner(parts: ScanParts, query: Float32Array, best: BestHits): Scanner {
  const { kernel, views, scratchAt, layout } = parts;
  const prepared: PreparedQuery = prepareQuery(layout, views, scratchAt, query);
  const { coarseAt, fineAt, coarseScale, coarseCentre, coarseError, fineScale, fineError, norm } = prepared;
  const listAt = scratchAt + queryBytes(layout);
  const candidatesAt = listAt + LAST_TURN * 4;
  let turn = FIRST_TURN;
  let fineTurns = 0;
  let known = -Infinity;
  let limit = prepared.limitOf(known);

  function readLimit(): number {
    if (best.limit !== known) {
      known = best.limit;
      limit = prepared.limitOf(known);
    }
    return limit;
  }

  function listCandidates(block: Block, from: number, to: number): number {
    const { coarseStride, fineStride, fineRowBytes } = layout;
    const reach = readLimit();
    if (fineTurns > 0) {
      fineTurns -= 1;
      // biome-ignore format: one call, its parameters in the kernel's order
      return kernel.scanFine(block.fineAt, fineStride, fineRowBytes, fineAt, from, to, candidatesAt,
        reach, fineScale, norm, fineError);
    }
    // biome-ignore format: as above
    const left = kernel.scanCoarse(block.coarseCodesAt, coarseStride, block.coarseMetaAt, block.metaStride, coarseAt,
      from, to, listAt, reach, coarseScale, norm, coarseError, coarseCentre);
    if (left > (to - from) * MOST_LEFT_OVER) fineTurns = FINE_TURNS;
    if (left === 0) return 0;
    // biome-ignore format: as above
    return kernel.filterFine(block.fineAt, fineStride, fineRowBytes, fineAt, listAt, left, candidatesAt,
      reach, fineScale, norm, fineError);
  }

  return {
    scan(index, block, rows) {
      // The kernel takes four rows at a time; those beyond the last are there, and dead.
      const end = Math.ceil(rows / 4) * 4;
      for (let from = 0; from < end; ) {
        const to = Math.min(end, from + turn);
        turn = Math.min(LAST_TURN, turn * 2);
        const count = listCandidates(block, from, to);
        for (let at = candidatesAt / 4, last = at + count * 2; at < last; at += 2) {
          // The limit may have risen since the kernel compared; not below, rather than above: an equal one may have the
          // lower key, and what is no number must be judged.
          if (views.floats[at + 1]! < readLimit()) continue;
          const row = views.ints[at]!;
          const similarity = multiply(query, block.vectors, row * layout.dimensions);
          best.offer(slotOf(index, row), block.keys[row]!, similarity);
        }
        from = to;
      }
    },
    end: () => views.bytes.fill(0, scratchAt, scratchAt + scratchBytes(layout)),
  };
}
