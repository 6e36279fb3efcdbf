// Scans blocks for the best hits of a query: coarse bounds, then fine ones, then double precision
// for the rest.
import type { ArenaViews } from './arena.ts';
import type { BestHits } from './best-hits.ts';
import { type Block, type Layout, MAX_BLOCK_ROWS } from './block.ts';
import type { Kernel } from './kernel/kernel.ts';
import { multiply } from './multiply.ts';
import { createPostponedRows, MOST_POSTPONED, POSTPONED_BYTES, type PostponedRows } from './postponed-rows.ts';
import { type PreparedQuery, prepareQuery, queryBytes } from './prepare-query.ts';
import type { SharedLimit } from './shared-limit.ts';

/** Rows per kernel call. Afterwards the limit is raised to the worst current hit. */
const FIRST_TURN = 16;
const LAST_TURN = 1024;

/**
 * A coarse scan takes half the time of a fine one, but each remaining row costs four times as much
 * as in sequence, because of random memory access: 24, 48 and about 200 ns for 512 dimensions on a
 * Neoverse N1, 40, 60 and 500 on a 2019 Xeon. Above this share of rows, the fine scan alone is
 * faster.
 */
const MAX_REMAINING_SHARE = 0.12;
/** Number of fine scans after a coarse one with too many remaining rows. */
const FINE_TURNS = 8;

/** Number, bound and estimate after the coarse scan; number and bound after the fine scan. */
const COARSE_CELLS = 3;
const FINE_CELLS = 2;

const SLOT_BITS = Math.log2(MAX_BLOCK_ROWS);

/** A row's number in its gallery, combined from its block's number and its own. */
export function slotOf(block: number, row: number): number {
  return block * MAX_BLOCK_ROWS + row;
}

export function blockOf(slot: number): number {
  return Math.floor(slot / MAX_BLOCK_ROWS);
}

export function rowOf(slot: number): number {
  return slot & ((1 << SLOT_BITS) - 1);
}

/** Scratch bytes per thread: a query, the kernel's inputs and outputs, and postponed rows. */
export function scratchBytes(layout: Layout): number {
  return queryBytes(layout) + TURN_BYTES + POSTPONED_BYTES;
}

/** Results of the coarse scan, list of rows to check, and results of the fine scan. */
const TURN_BYTES = LAST_TURN * 4 * (COARSE_CELLS + 1 + FINE_CELLS);

export interface ScanParts {
  kernel: Kernel;
  views: ArenaViews;
  /** Offset of this thread's scratch area. */
  scratchAt: number;
  layout: Layout;
  /** Limit shared with the other threads of the search, if any. */
  shared?: SharedLimit | undefined;
}

export class Scanner {
  readonly #parts: ScanParts;
  readonly #query: Float32Array;
  readonly #best: BestHits;
  readonly #prepared: PreparedQuery;
  /** Offsets of the coarse results, of the rows to check, and of the fine results. */
  readonly #leftAt: number;
  readonly #listAt: number;
  readonly #candidatesAt: number;
  readonly #postponedAt: number;
  readonly #postponed: PostponedRows;
  #turn = FIRST_TURN;
  #fineTurns = 0;
  /** Rows of coarse scans since postponed rows were last checked. */
  #scanned = 0;
  /** Whether too many rows exceed even a high limit, so that postponing does not help. */
  #isCrowded = false;
  #known = -Infinity;
  #limit: number;

  constructor(parts: ScanParts, query: Float32Array, best: BestHits) {
    const { views, scratchAt, layout } = parts;
    this.#parts = parts;
    this.#query = query;
    this.#best = best;
    this.#prepared = prepareQuery(layout, views, scratchAt, query);
    this.#leftAt = scratchAt + queryBytes(layout);
    this.#listAt = this.#leftAt + LAST_TURN * COARSE_CELLS * 4;
    this.#candidatesAt = this.#listAt + LAST_TURN * 4;
    this.#postponedAt = this.#candidatesAt + LAST_TURN * FINE_CELLS * 4;
    this.#postponed = createPostponedRows(views, this.#postponedAt);
    this.#limit = this.#prepared.limitOf(this.#known);
  }

  /** Offers or postpones every row below `rows` of a block that may be among the best. */
  scan(index: number, block: Block, rows: number): void {
    const { shared } = this.#parts;
    // The kernel takes four rows at a time. Rows after the last one exist and are marked as
    // missing.
    const end = Math.ceil(rows / 4) * 4;
    for (let from = 0; from < end; ) {
      const to = Math.min(end, from + this.#turn);
      this.#turn = Math.min(LAST_TURN, this.#turn * 2);
      if (shared) this.#best.raise(shared.read());
      if (this.#fineTurns > 0) {
        this.#fineTurns -= 1;
        this.#scanFine(index, block, from, to);
      } else this.#scanCoarse(index, block, from, to);
      if (shared) shared.tell(this.#best.limit);
      from = to;
    }
  }

  /** Offers postponed rows. Wipes the results and the query, which may be a face. */
  end(): void {
    const { shared, views, scratchAt } = this.#parts;
    if (shared) this.#best.raise(shared.read());
    this.#judgePostponed();
    views.bytes.fill(0, scratchAt, this.#postponedAt + this.#postponed.bytesUsed);
  }

  #readLimit(): number {
    if (this.#best.limit !== this.#known) {
      this.#known = this.#best.limit;
      this.#limit = this.#prepared.limitOf(this.#known);
    }
    return this.#limit;
  }

  /** Ranks candidates in double precision. */
  #judgeCandidates(index: number, block: Block, count: number): void {
    const { views, layout } = this.#parts;
    for (let at = this.#candidatesAt / 4, last = at + count * FINE_CELLS; at < last; at += FINE_CELLS) {
      // The limit may have risen since the kernel's comparison. "Not below" instead of "above",
      // because an equal row may have the lower key, and NaN must be checked.
      if (views.floats[at + 1]! < this.#readLimit()) continue;
      const row = views.ints[at]!;
      const similarity = multiply(this.#query, block.vectors, row * layout.dimensions);
      this.#best.offer(slotOf(index, row), block.keys[row]!, similarity);
    }
  }

  #judgeListed(index: number, block: Block, count: number): void {
    if (count === 0) return;
    const { kernel, layout } = this.#parts;
    const { fineAt, fineScale, fineError, norm } = this.#prepared;
    // biome-ignore format: one call, its parameters in the kernel's order
    const left = kernel.filterFine(block.fineAt, layout.fineStride, layout.fineRowBytes, fineAt, this.#listAt, count,
      this.#candidatesAt, this.#readLimit(), fineScale, norm, fineError);
    this.#judgeCandidates(index, block, left);
  }

  #scanFine(index: number, block: Block, from: number, to: number): void {
    const { kernel, layout } = this.#parts;
    const { fineAt, fineScale, fineError, norm } = this.#prepared;
    // biome-ignore format: as above
    const left = kernel.scanFine(block.fineAt, layout.fineStride, layout.fineRowBytes, fineAt, from, to,
      this.#candidatesAt, this.#readLimit(), fineScale, norm, fineError);
    this.#judgeCandidates(index, block, left);
  }

  /**
   * Checks rows that are probably among the best, which raises the limit. The others are merely not
   * proven to be worse. They are postponed, and most of them fall below the final limit.
   */
  #scanCoarse(index: number, block: Block, from: number, to: number): void {
    const { kernel, views, layout } = this.#parts;
    const { coarseAt, coarseScale, coarseCentre, coarseError, norm } = this.#prepared;
    const reach = this.#readLimit();
    // biome-ignore format: as above
    const left = kernel.scanCoarse(block.coarseCodesAt, layout.coarseStride, block.coarseMetaAt, block.metaStride,
      coarseAt, from, to, this.#leftAt, reach, coarseScale, norm, coarseError, coarseCentre);
    this.#scanned += to - from;
    if (left === 0) return;
    const first = this.#leftAt / 4;
    const last = first + left * COARSE_CELLS;
    const list = this.#listAt / 4;
    let listed = list;
    for (let at = first; at < last; at += COARSE_CELLS)
      if (this.#isCrowded || !(views.floats[at + 2]! < reach)) views.ints[listed++] = views.ints[at]!;
    this.#judgeListed(index, block, listed - list);
    if (this.#isCrowded) {
      this.#isCrowded = left > (to - from) * MAX_REMAINING_SHARE;
      if (this.#isCrowded) this.#fineTurns = FINE_TURNS;
      return;
    }
    if (this.#postponed.count + left > MOST_POSTPONED) this.#makeRoom();
    const raised = this.#readLimit();
    for (let at = first; at < last; at += COARSE_CELLS)
      if (views.floats[at + 2]! < reach && !(views.floats[at + 1]! < raised))
        this.#postponed.add(index, block, views.ints[at]!, views.floats[at + 1]!);
  }

  #makeRoom(): void {
    const postponed = this.#postponed;
    postponed.thin(this.#readLimit());
    this.#isCrowded = postponed.count > this.#scanned * MAX_REMAINING_SHARE;
    if (this.#isCrowded || postponed.count > MOST_POSTPONED / 2) this.#judgePostponed();
  }

  #judgePostponed(): void {
    const { floats, ints } = this.#parts.views;
    const list = this.#listAt / 4;
    this.#scanned = 0;
    this.#postponed.take((index, block, from, to) => {
      let listed = list;
      for (let at = from; at < to; at += FINE_CELLS) {
        if (floats[at + 1]! < this.#readLimit()) continue;
        ints[listed++] = ints[at]!;
        if (listed < list + LAST_TURN) continue;
        this.#judgeListed(index, block, LAST_TURN);
        listed = list;
      }
      this.#judgeListed(index, block, listed - list);
    });
  }
}
