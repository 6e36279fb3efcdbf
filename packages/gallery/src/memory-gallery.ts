// A gallery in memory: slots for vectors, changed on the calling thread while other threads may
// scan them.
//
// Nothing is locked, and no order of stores is assumed. A search sees every earlier change, because
// threads receive it by message. If a slot changes later, a thread may read the old row, the new
// one or a mixture. The calling thread therefore logs changed slots during searches. When the
// threads' lists arrive, it discards those slots and checks them itself, so the result is that of
// the moment of the reply. One risk remains: a mixture that looked like a good hit may have raised
// a thread's limit, and with it that of all threads, and excluded other rows. While the mixture is
// on a thread's list, its slot reveals it, and the search is repeated if the list was full. If it
// was pushed off a full list, k better rows replaced it, and the rows it excluded are not among the
// k best of any thread.
import type { Arena } from './arena.ts';
import { createBestHits, type SlotHit } from './best-hits.ts';
import {
  arenaBytes,
  type Block,
  bytesPerVector,
  createLayout,
  createOriginals,
  type Layout,
  nextCapacity,
  openBlock,
} from './block.ts';
import { clearBlock, wipeRow, writeRow } from './encode-row.ts';
import { compareHits, type Gallery, type Hit, type SearchOptions } from './gallery.ts';
import type { Kernel } from './kernel/kernel.ts';
import { multiply } from './multiply.ts';
import { blockOf, rowOf, Scanner, slotOf } from './scan.ts';
import type { ThreadPool } from './thread-pool.ts';

/** Number of unneeded entries to keep before trimming. */
const SLACK = 1024;

export class ChangeLog {
  // Marks count all changes ever recorded. `#slots` holds the last ones, and is empty without
  // running searches.
  #slots: number[] = [];
  #first = 0;
  readonly #marks: number[] = [];

  /** Starts a watch. Every call needs an `end`. */
  begin(): number {
    const mark = this.#first + this.#slots.length;
    this.#marks.push(mark);
    return mark;
  }

  /** Returns the slots that changed since the watch started. */
  since(mark: number): Set<number> {
    return new Set(this.#slots.slice(mark - this.#first));
  }

  end(mark: number): void {
    this.#marks.splice(this.#marks.indexOf(mark), 1);
    const oldest = this.#marks[0] ?? this.#first + this.#slots.length;
    if (this.#marks.length > 0 && oldest - this.#first < SLACK) return;
    this.#slots = this.#slots.slice(oldest - this.#first);
    this.#first = oldest;
  }

  record(slot: number): void {
    if (this.#marks.length > 0) this.#slots.push(slot);
  }

  /** Number of entries. */
  get length(): number {
    return this.#slots.length;
  }
}

/**
 * Maximum attempts of a search after an ended thread, or with changing hits. Then the former is
 * given up, and the latter is run by the calling thread.
 */
const MOST_TRIES = 3;
/** Maximum number of changed slots for which individual checks are faster than another attempt. */
const MOST_CHANGES = 2000;

export interface MemoryGalleryParts {
  id: number;
  dimensions: number;
  arena: Arena;
  kernel: Kernel;
  scratchAt: number;
  /** None if the calling thread scans everything. */
  pool: Pick<ThreadPool, 'search' | 'forget'> | undefined;
  /** Maximum bytes of fine codes that the calling thread always scans itself. */
  mostBytesInline: number;
  /** Throws if the engine is closed. */
  checkOpen: () => void;
}

export class MemoryGallery implements Gallery {
  readonly #parts: MemoryGalleryParts;
  readonly #layout: Layout;
  readonly #blocks: Block[] = [];
  readonly #slots = new Map<number, number>();
  readonly #freeSlots: number[] = [];
  readonly #changes = new ChangeLog();
  #capacity = 0;
  /** Used rows of the last block, including removed ones. */
  #lastRows = 0;
  #isDropped = false;
  /** Running searches on threads. They hold slots, which are meaningless without the blocks. */
  #searches = 0;

  constructor(parts: MemoryGalleryParts) {
    this.#parts = parts;
    this.#layout = createLayout(parts.dimensions);
  }

  get dimensions(): number {
    return this.#parts.dimensions;
  }

  get size(): number {
    return this.#slots.size;
  }

  get bytes(): number {
    return this.#capacity * bytesPerVector(this.dimensions);
  }

  insert(key: number, vector: Float32Array): void {
    this.#checkUsable();
    if (!Number.isSafeInteger(key)) throw new RangeError('A key must be a whole number of at most 53 bits.');
    this.#checkVector('vector', vector);
    if (this.#slots.has(key)) throw new Error('The key already exists in the gallery. Remove it first.');
    const slot = this.#takeSlot();
    const block = this.#blocks[blockOf(slot)]!;
    const row = rowOf(slot);
    block.vectors.set(vector, row * this.dimensions);
    block.keys[row] = key;
    writeRow(this.#layout, this.#parts.arena.views, block, row, vector);
    this.#slots.set(key, slot);
    this.#changes.record(slot);
  }

  remove(key: number): boolean {
    this.#checkUsable();
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#slots.delete(key);
    wipeRow(this.#layout, this.#parts.arena.views, this.#blocks[blockOf(slot)]!, rowOf(slot));
    this.#freeSlots.push(slot);
    this.#changes.record(slot);
    if (this.size === 0 && this.#searches === 0) this.#release();
    return true;
  }

  has(key: number): boolean {
    return this.#slots.has(key);
  }

  async search(query: Float32Array, { k, minSimilarity }: SearchOptions): Promise<Hit[]> {
    this.#checkUsable();
    this.#checkVector('query', query);
    if (!Number.isInteger(k) || k < 1) throw new RangeError('k must be a whole number of at least 1.');
    if (Number.isNaN(minSimilarity)) throw new RangeError('minSimilarity must be a number.');
    const { pool, mostBytesInline } = this.#parts;
    if (!pool || this.#capacity * this.#layout.fineStride <= mostBytesInline)
      return this.#scanInline(query, { k, minSimilarity });
    // Callers may reuse their array while the search waits for a thread.
    const copy = query.slice();
    this.#searches += 1;
    try {
      return await this.#scanByThreads(pool, copy, { k, minSimilarity });
    } finally {
      copy.fill(0);
      this.#searches -= 1;
      if (this.size === 0 && this.#searches === 0) this.#release();
    }
  }

  compare(query: Float32Array, keys: readonly number[]): Hit[] {
    this.#checkUsable();
    this.#checkVector('query', query);
    const hits: Hit[] = [];
    for (const key of new Set(keys)) {
      const slot = this.#slots.get(key);
      if (slot !== undefined) hits.push({ key, similarity: this.#judge(query, slot) });
    }
    return hits.sort(compareHits);
  }

  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#slots.clear();
    this.#release();
  }

  #checkUsable(): void {
    this.#parts.checkOpen();
    if (this.#isDropped) throw new Error('This gallery was dropped. Create another one.');
  }

  #checkVector(name: string, vector: Float32Array): void {
    const { dimensions } = this;
    if (vector.length !== dimensions)
      throw new RangeError(`The ${name} has ${vector.length} numbers, but this gallery takes ${dimensions}.`);
    for (let at = 0; at < dimensions; at += 1)
      if (!Number.isFinite(vector[at]!)) throw new RangeError(`The ${name} contains a number that is not finite.`);
  }

  #takeSlot(): number {
    const freed = this.#freeSlots.pop();
    if (freed !== undefined) return freed;
    if (this.#lastRows === (this.#blocks.at(-1)?.capacity ?? 0)) this.#addBlock();
    this.#lastRows += 1;
    return slotOf(this.#blocks.length - 1, this.#lastRows - 1);
  }

  #addBlock(): void {
    const { arena } = this.#parts;
    const rows = nextCapacity(this.#capacity);
    const originals = createOriginals(this.#layout, rows);
    const at = arena.allocate(arenaBytes(this.#layout, rows));
    const block = openBlock(this.#layout, { capacity: rows, at, originals });
    clearBlock(this.#layout, arena.views, block);
    this.#blocks.push(block);
    this.#capacity += rows;
    this.#lastRows = 0;
  }

  /** Wipes and frees all blocks. */
  #release(): void {
    const { id, arena, pool } = this.#parts;
    pool?.forget(id);
    for (const { at, capacity, originals } of this.#blocks) {
      arena.release(at, arenaBytes(this.#layout, capacity));
      new Uint8Array(originals).fill(0);
    }
    this.#blocks.length = 0;
    this.#freeSlots.length = 0;
    this.#capacity = 0;
    this.#lastRows = 0;
  }

  #judge(query: Float32Array, slot: number): number {
    return multiply(query, this.#blocks[blockOf(slot)]!.vectors, rowOf(slot) * this.dimensions);
  }

  #scanInline(query: Float32Array, { k, minSimilarity }: SearchOptions): Hit[] {
    const { kernel, arena, scratchAt } = this.#parts;
    const best = createBestHits(k, minSimilarity);
    const scanner = new Scanner({ kernel, views: arena.views, scratchAt, layout: this.#layout }, query, best);
    const last = this.#blocks.length - 1;
    for (const [index, block] of this.#blocks.entries())
      scanner.scan(index, block, index === last ? this.#lastRows : block.capacity);
    scanner.end();
    return best.list().map(toHit);
  }

  async #scanByThreads(
    threads: Pick<ThreadPool, 'search'>,
    query: Float32Array,
    options: SearchOptions,
  ): Promise<Hit[]> {
    const { id, dimensions } = this.#parts;
    const blocks = this.#blocks;
    for (let tries = 1; ; tries += 1) {
      const isLast = tries === MOST_TRIES;
      const mark = this.#changes.begin();
      try {
        const job = { gallery: id, dimensions, blocks, lastRows: this.#lastRows, query, ...options };
        const outcome = await threads.search(job);
        this.#checkUsable();
        if ('ended' in outcome) {
          if (isLast) throw outcome.ended;
          continue;
        }
        const changed = this.#changes.since(mark);
        const isWorthwhile = changed.size <= MOST_CHANGES || isLast;
        const hits = isWorthwhile ? this.#reconcile(outcome.lists, changed, query, options) : undefined;
        if (hits) return hits;
        if (isLast) return this.#scanInline(query, options);
      } finally {
        this.#changes.end(mark);
      }
    }
  }

  /** Returns the current result, or undefined if only another search can find it. */
  #reconcile(
    lists: SlotHit[][],
    changed: ReadonlySet<number>,
    query: Float32Array,
    { k, minSimilarity }: SearchOptions,
  ): Hit[] | undefined {
    const isTainted = (hits: SlotHit[]) => hits.length === k && hits.some(({ slot }) => changed.has(slot));
    if (changed.size > 0 && lists.some(isTainted)) return undefined;
    const best = createBestHits(k, minSimilarity);
    for (const { slot, key, similarity } of lists.flat()) if (!changed.has(slot)) best.offer(slot, key, similarity);
    for (const slot of changed) {
      const key = this.#blocks[blockOf(slot)]!.keys[rowOf(slot)]!;
      if (this.#slots.get(key) === slot) best.offer(slot, key, this.#judge(query, slot));
    }
    return best.list().map(toHit);
  }
}

function toHit({ key, similarity }: SlotHit): Hit {
  return { key, similarity };
}
