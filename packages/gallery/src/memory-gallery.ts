// A gallery in memory: slots for vectors, changed on the calling thread while other threads may be scanning them.
//
// Nothing is locked, and no order of stores is relied on. A search sees every change that came before it, because it is
// handed to the threads by messages. Of slots that change after that, a thread may read the old row, the new one or a
// mixture. So the calling thread keeps a log of changed slots while searches are under way, and when the lists of the
// threads come back it throws away what they say about those slots and judges the slots itself, as they are then: the
// answer is that of the moment in which it is given. One thing remains: a mixture that looked like a good hit can have
// raised a thread's limit, and with it that of all threads of the search, and kept other rows out. While it is on that
// thread's list its slot tells, and the search is run again if the list was full. Once it was pushed off a full list, k
// better rows took its place, and what it kept out would not have been among the k best, whichever thread it was found by.
import type { Arena } from './arena.ts';
import { createBestHits, type SlotHit } from './best-hits.ts';
import {
  arenaBytes,
  type Block,
  bytesPerVector,
  createLayout,
  createOriginals,
  nextCapacity,
  openBlock,
} from './block.ts';
import { createChangeLog } from './change-log.ts';
import { clearBlock, wipeRow, writeRow } from './encode-row.ts';
import { compareHits, type Gallery, type Hit, type SearchOptions } from './gallery.ts';
import type { Kernel } from './kernel/kernel.ts';
import { multiply } from './multiply.ts';
import { blockOf, createScanner, rowOf, slotOf } from './scan.ts';
import type { ThreadPool } from './thread-pool.ts';

/**
 * Times that a search is tried because a thread ended, or because hits changed under it. After that the former is given
 * up, and the latter done by the calling thread itself.
 */
const MOST_TRIES = 3;
/** Changed slots up to which judging them one by one is quicker than another try. */
const MOST_CHANGES = 2000;

export interface MemoryGalleryParts {
  id: number;
  dimensions: number;
  arena: Arena;
  kernel: Kernel;
  scratchAt: number;
  /** None: the calling thread scans everything. */
  pool: ThreadPool | undefined;
  /** Bytes of fine codes up to which it scans all by itself anyway. */
  mostBytesInline: number;
  /** Throws when the engine was closed. */
  checkOpen: () => void;
}

export function createMemoryGallery(parts: MemoryGalleryParts): Gallery {
  const { id, dimensions, arena, kernel, scratchAt, pool, mostBytesInline, checkOpen } = parts;
  const layout = createLayout(dimensions);
  const blocks: Block[] = [];
  const slots = new Map<number, number>();
  const freeSlots: number[] = [];
  const changes = createChangeLog();
  let capacity = 0;
  /** Rows in use of the last block, the removed among them included. */
  let lastRows = 0;
  let isDropped = false;
  /** Searches by threads under way: they hold slots, which mean nothing once the blocks are gone. */
  let searches = 0;

  function checkUsable(): void {
    checkOpen();
    if (isDropped) throw new Error('This gallery was dropped: create another.');
  }

  function checkVector(name: string, vector: Float32Array): void {
    if (vector.length !== dimensions)
      throw new RangeError(`The ${name} has ${vector.length} numbers: this gallery takes ${dimensions}.`);
    for (let at = 0; at < dimensions; at += 1)
      if (!Number.isFinite(vector[at]!)) throw new RangeError(`The ${name} holds a number that is not finite.`);
  }

  function addBlock(): void {
    const rows = nextCapacity(capacity);
    const originals = createOriginals(layout, rows);
    const at = arena.allocate(arenaBytes(layout, rows));
    const block = openBlock(layout, { capacity: rows, at, originals });
    clearBlock(layout, arena.views, block);
    blocks.push(block);
    capacity += rows;
    lastRows = 0;
  }

  function takeSlot(): number {
    const freed = freeSlots.pop();
    if (freed !== undefined) return freed;
    if (lastRows === (blocks.at(-1)?.capacity ?? 0)) addBlock();
    lastRows += 1;
    return slotOf(blocks.length - 1, lastRows - 1);
  }

  function judge(query: Float32Array, slot: number): number {
    return multiply(query, blocks[blockOf(slot)]!.vectors, rowOf(slot) * dimensions);
  }

  function scanInline(query: Float32Array, { k, minSimilarity }: SearchOptions): Hit[] {
    const best = createBestHits(k, minSimilarity);
    const scanner = createScanner({ kernel, views: arena.views, scratchAt, layout }, query, best);
    blocks.forEach((block, index) => {
      scanner.scan(index, block, index === blocks.length - 1 ? lastRows : block.capacity);
    });
    scanner.end();
    return best.list().map(toHit);
  }

  async function scanByThreads(threads: ThreadPool, query: Float32Array, options: SearchOptions): Promise<Hit[]> {
    for (let tries = 1; ; tries += 1) {
      const isLast = tries === MOST_TRIES;
      const mark = changes.begin();
      try {
        const outcome = await threads.search({ gallery: id, dimensions, blocks, lastRows, query, ...options });
        checkUsable();
        if ('ended' in outcome) {
          if (isLast) throw outcome.ended;
          continue;
        }
        const changed = changes.since(mark);
        const hits =
          changed.size <= MOST_CHANGES || isLast ? reconcile(outcome.lists, changed, query, options) : undefined;
        if (hits) return hits;
        if (isLast) return scanInline(query, options);
      } finally {
        changes.end(mark);
      }
    }
  }

  async function searchByThreads(threads: ThreadPool, query: Float32Array, options: SearchOptions): Promise<Hit[]> {
    // The caller may reuse its array while the search waits for a thread.
    const copy = query.slice();
    searches += 1;
    try {
      return await scanByThreads(threads, copy, options);
    } finally {
      copy.fill(0);
      searches -= 1;
      if (slots.size === 0 && searches === 0) release();
    }
  }

  /** Gives all blocks back to the arena, wiped. */
  function release(): void {
    pool?.forget(id);
    for (const { at, capacity: rows, originals } of blocks) {
      arena.release(at, arenaBytes(layout, rows));
      new Uint8Array(originals).fill(0);
    }
    blocks.length = 0;
    freeSlots.length = 0;
    capacity = 0;
    lastRows = 0;
  }

  /** The answer as of now; undefined when only another search can tell. */
  function reconcile(
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
      const key = blocks[blockOf(slot)]!.keys[rowOf(slot)]!;
      if (slots.get(key) === slot) best.offer(slot, key, judge(query, slot));
    }
    return best.list().map(toHit);
  }

  return {
    dimensions,
    get size() {
      return slots.size;
    },
    get bytes() {
      return capacity * bytesPerVector(dimensions);
    },
    insert(key, vector) {
      checkUsable();
      if (!Number.isSafeInteger(key)) throw new RangeError('A key is a whole number of at most 53 bits.');
      checkVector('vector', vector);
      if (slots.has(key)) throw new Error('The key is in the gallery already: remove it first.');
      const slot = takeSlot();
      const block = blocks[blockOf(slot)]!;
      const row = rowOf(slot);
      block.vectors.set(vector, row * dimensions);
      block.keys[row] = key;
      writeRow(layout, arena.views, block, row, vector);
      slots.set(key, slot);
      changes.record(slot);
    },
    remove(key) {
      checkUsable();
      const slot = slots.get(key);
      if (slot === undefined) return false;
      slots.delete(key);
      wipeRow(layout, arena.views, blocks[blockOf(slot)]!, rowOf(slot));
      freeSlots.push(slot);
      changes.record(slot);
      if (slots.size === 0 && searches === 0) release();
      return true;
    },
    has: (key) => slots.has(key),
    async search(query, options) {
      checkUsable();
      checkVector('query', query);
      const { k, minSimilarity } = options;
      if (!Number.isInteger(k) || k < 1) throw new RangeError('k is a whole number from 1.');
      if (Number.isNaN(minSimilarity)) throw new RangeError('minSimilarity is a number.');
      if (!pool || capacity * layout.fineStride <= mostBytesInline) return scanInline(query, { k, minSimilarity });
      return await searchByThreads(pool, query, { k, minSimilarity });
    },
    compare(query, keys) {
      checkUsable();
      checkVector('query', query);
      const hits: Hit[] = [];
      for (const key of new Set(keys)) {
        const slot = slots.get(key);
        if (slot !== undefined) hits.push({ key, similarity: judge(query, slot) });
      }
      return hits.sort(compareHits);
    },
    drop() {
      if (isDropped) return;
      isDropped = true;
      slots.clear();
      release();
    },
  };
}

function toHit({ key, similarity }: SlotHit): Hit {
  return { key, similarity };
}
