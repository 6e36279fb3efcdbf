// Scans blocks for the best hits of one query: coarse bounds, then fine ones, then double precision for what is left.
import type { ArenaViews } from './arena.ts';
import type { BestHits } from './best-hits.ts';
import { type Block, type Layout, MAX_BLOCK_ROWS } from './block.ts';
import type { Kernel } from './kernel/kernel.ts';
import { multiply } from './multiply.ts';
import { createPostponedRows, MOST_POSTPONED, POSTPONED_BYTES } from './postponed-rows.ts';
import { type PreparedQuery, prepareQuery, queryBytes } from './prepare-query.ts';
import type { SharedLimit } from './shared-limit.ts';

/** Rows in a turn of the kernel: after it the limit is raised to the worst of the hits so far. */
const FIRST_TURN = 16;
const LAST_TURN = 1024;

/**
 * A coarse scan takes half of the time of a fine one, but each row that it leaves over costs four times what it would
 * have cost in line, because its memory is fetched out of turn: 24, 48 and about 200 ns for 512 dimensions on a
 * Neoverse N1, 40, 60 and 500 on a Xeon of 2019. Beyond this share of the rows the fine scan alone is quicker.
 */
const MOST_LEFT_OVER = 0.12;
/** Turns by fine scan after a coarse one that left over too much; the limit rises meanwhile. */
const FINE_TURNS = 8;

/** Number, bound and estimate of a row that the coarse scan leaves over; number and bound of one that the fine one does. */
const COARSE_CELLS = 3;
const FINE_CELLS = 2;

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

/** Bytes of the arena that a thread needs for itself: a query, what the kernel reads and writes in a turn, and rows put off. */
export function scratchBytes(layout: Layout): number {
  return queryBytes(layout) + TURN_BYTES + POSTPONED_BYTES;
}

/** What the coarse scan leaves over, the list of those to look at, and what the fine scan leaves over. */
const TURN_BYTES = LAST_TURN * 4 * (COARSE_CELLS + 1 + FINE_CELLS);

export interface Scanner {
  /** Offers every row below `rows` of a block that may be among the best, or puts it off. */
  scan(index: number, block: Block, rows: number): void;
  /** Offers what was put off; wipes the query, which may be the face of somebody who is removed next, and what was found. */
  end(): void;
}

export interface ScanParts {
  kernel: Kernel;
  views: ArenaViews;
  /** Where this thread's scratch lies. */
  scratchAt: number;
  layout: Layout;
  /** What the other threads of the search know; none where there are no others. */
  shared?: SharedLimit | undefined;
}

export function createScanner(parts: ScanParts, query: Float32Array, best: BestHits): Scanner {
  const { kernel, views, scratchAt, layout, shared } = parts;
  const { coarseStride, fineStride, fineRowBytes } = layout;
  const prepared: PreparedQuery = prepareQuery(layout, views, scratchAt, query);
  const { coarseAt, fineAt, coarseScale, coarseCentre, coarseError, fineScale, fineError, norm } = prepared;
  const leftAt = scratchAt + queryBytes(layout);
  const listAt = leftAt + LAST_TURN * COARSE_CELLS * 4;
  const candidatesAt = listAt + LAST_TURN * 4;
  const postponedAt = candidatesAt + LAST_TURN * FINE_CELLS * 4;
  const postponed = createPostponedRows(views, postponedAt);
  let turn = FIRST_TURN;
  let fineTurns = 0;
  /** Rows of coarse turns since rows that were put off were last looked at. */
  let scanned = 0;
  /** Putting rows off did not help: too many are above the limit even when it is high. */
  let isCrowded = false;
  let known = -Infinity;
  let limit = prepared.limitOf(known);

  function readLimit(): number {
    if (best.limit !== known) {
      known = best.limit;
      limit = prepared.limitOf(known);
    }
    return limit;
  }

  /** Ranks by double precision. */
  function judgeCandidates(index: number, block: Block, count: number): void {
    for (let at = candidatesAt / 4, last = at + count * FINE_CELLS; at < last; at += FINE_CELLS) {
      // The limit may have risen since the kernel compared; not below, rather than above: an equal one may have the
      // lower key, and what is no number must be judged.
      if (views.floats[at + 1]! < readLimit()) continue;
      const row = views.ints[at]!;
      const similarity = multiply(query, block.vectors, row * layout.dimensions);
      best.offer(slotOf(index, row), block.keys[row]!, similarity);
    }
  }

  function judgeListed(index: number, block: Block, count: number): void {
    if (count === 0) return;
    // biome-ignore format: one call, its parameters in the kernel's order
    const left = kernel.filterFine(block.fineAt, fineStride, fineRowBytes, fineAt, listAt, count, candidatesAt,
      readLimit(), fineScale, norm, fineError);
    judgeCandidates(index, block, left);
  }

  function scanFine(index: number, block: Block, from: number, to: number): void {
    // biome-ignore format: as above
    const left = kernel.scanFine(block.fineAt, fineStride, fineRowBytes, fineAt, from, to, candidatesAt,
      readLimit(), fineScale, norm, fineError);
    judgeCandidates(index, block, left);
  }

  /**
   * Rows that are probably among the best so far are looked at now, and raise the limit. The others are only not proven to be worse:
   * they are put off, and most of them are once the limit is that of the whole gallery.
   */
  function scanCoarse(index: number, block: Block, from: number, to: number): void {
    const reach = readLimit();
    // biome-ignore format: as above
    const left = kernel.scanCoarse(block.coarseCodesAt, coarseStride, block.coarseMetaAt, block.metaStride, coarseAt,
      from, to, leftAt, reach, coarseScale, norm, coarseError, coarseCentre);
    scanned += to - from;
    if (left === 0) return;
    const first = leftAt / 4;
    const last = first + left * COARSE_CELLS;
    let listed = listAt / 4;
    for (let at = first; at < last; at += COARSE_CELLS)
      if (isCrowded || !(views.floats[at + 2]! < reach)) views.ints[listed++] = views.ints[at]!;
    judgeListed(index, block, listed - listAt / 4);
    if (isCrowded) {
      isCrowded = left > (to - from) * MOST_LEFT_OVER;
      if (isCrowded) fineTurns = FINE_TURNS;
      return;
    }
    if (postponed.count + left > MOST_POSTPONED) makeRoom();
    const raised = readLimit();
    for (let at = first; at < last; at += COARSE_CELLS)
      if (views.floats[at + 2]! < reach && !(views.floats[at + 1]! < raised))
        postponed.add(index, block, views.ints[at]!, views.floats[at + 1]!);
  }

  function makeRoom(): void {
    postponed.thin(readLimit());
    isCrowded = postponed.count > scanned * MOST_LEFT_OVER;
    if (isCrowded || postponed.count > MOST_POSTPONED / 2) judgePostponed();
  }

  function judgePostponed(): void {
    scanned = 0;
    postponed.take((index, block, from, to) => {
      let listed = listAt / 4;
      for (let at = from; at < to; at += FINE_CELLS) {
        if (views.floats[at + 1]! < readLimit()) continue;
        views.ints[listed++] = views.ints[at]!;
        if (listed < listAt / 4 + LAST_TURN) continue;
        judgeListed(index, block, LAST_TURN);
        listed = listAt / 4;
      }
      judgeListed(index, block, listed - listAt / 4);
    });
  }

  return {
    scan(index, block, rows) {
      // The kernel takes four rows at a time; those beyond the last are there, and dead.
      const end = Math.ceil(rows / 4) * 4;
      for (let from = 0; from < end; ) {
        const to = Math.min(end, from + turn);
        turn = Math.min(LAST_TURN, turn * 2);
        if (shared) best.raise(shared.read());
        if (fineTurns > 0) {
          fineTurns -= 1;
          scanFine(index, block, from, to);
        } else scanCoarse(index, block, from, to);
        if (shared) shared.tell(best.limit);
        from = to;
      }
    },
    end() {
      if (shared) best.raise(shared.read());
      judgePostponed();
      views.bytes.fill(0, scratchAt, postponedAt + postponed.bytesUsed);
    },
  };
}
