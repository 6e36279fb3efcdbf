// A thread of the pool: scans the blocks of one search that it can claim before the others do, and sends its best hits.
import { parentPort, workerData } from 'node:worker_threads';
import { openViews } from './arena.ts';
import { createBestHits, type SlotHit } from './best-hits.ts';
import { type Block, type BlockPlace, createLayout, openBlock } from './block.ts';
import { type KernelKind, loadKernel } from './kernel/kernel.ts';
import { Scanner } from './scan.ts';
import { openLimit } from './shared-limit.ts';

export interface ThreadSetup {
  memory: WebAssembly.Memory;
  kind: KernelKind;
  scratchAt: number;
  /** For each search under way, the number of its next block that nobody has claimed. */
  counters: SharedArrayBuffer;
  /** For each search under way, the limit that its threads share. */
  limits: SharedArrayBuffer;
}

export interface SearchOrder {
  type: 'search';
  gallery: number;
  dimensions: number;
  query: Float32Array;
  k: number;
  minSimilarity: number;
  counter: number;
  /** Blocks that this thread has not been told of. */
  added: BlockPlace[];
  /** Rows in use of the last block; those before it are full. */
  lastRows: number;
  blockCount: number;
}

export interface ForgetOrder {
  type: 'forget';
  gallery: number;
}

export type SearchReply = SlotHit[];

if (parentPort) serve(parentPort, workerData as ThreadSetup);

function serve(port: NonNullable<typeof parentPort>, setup: ThreadSetup): void {
  const { memory, kind, scratchAt } = setup;
  const kernel = loadKernel(kind, memory);
  // Never renewed when the memory grows: only the scratch is read through them, and that was there before the thread.
  const views = openViews(memory);
  const counters = new Int32Array(setup.counters);
  const limits = new Int32Array(setup.limits);
  const galleries = new Map<number, Block[]>();

  function search(order: SearchOrder): SearchReply {
    const layout = createLayout(order.dimensions);
    const blocks = galleries.get(order.gallery) ?? [];
    galleries.set(order.gallery, blocks);
    for (const place of order.added) blocks.push(openBlock(layout, place));
    const best = createBestHits(order.k, order.minSimilarity);
    const shared = openLimit(limits, order.counter);
    const scanner = new Scanner({ kernel, views, scratchAt, layout, shared }, order.query, best);
    for (;;) {
      const index = Atomics.add(counters, order.counter, 1);
      if (index >= order.blockCount) break;
      const block = blocks[index]!;
      scanner.scan(index, block, index === order.blockCount - 1 ? order.lastRows : block.capacity);
    }
    scanner.end();
    order.query.fill(0);
    return best.list();
  }

  port.on('message', (order: SearchOrder | ForgetOrder) => {
    if (order.type === 'forget') galleries.delete(order.gallery);
    else port.postMessage(search(order));
  });
}
