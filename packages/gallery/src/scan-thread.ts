// A thread of the pool: scans the blocks that it claims of a search and sends its best hits.
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
  /** Next unclaimed block of each running search. */
  counters: SharedArrayBuffer;
  /** Shared limit of each running search. */
  limits: SharedArrayBuffer;
}

export interface SearchRequest {
  type: 'search';
  gallery: number;
  dimensions: number;
  query: Float32Array;
  k: number;
  minSimilarity: number;
  counter: number;
  /** Blocks that this thread does not know yet. */
  added: BlockPlace[];
  /** Used rows of the last block. Earlier ones are full. */
  lastRows: number;
  blockCount: number;
}

export interface ForgetRequest {
  type: 'forget';
  gallery: number;
}

export type SearchReply = SlotHit[];

if (parentPort) serve(parentPort, workerData as ThreadSetup);

function serve(port: NonNullable<typeof parentPort>, setup: ThreadSetup): void {
  const { memory, kind, scratchAt } = setup;
  const kernel = loadKernel(kind, memory);
  // Not renewed when the memory grows, because it only reads its scratch area, which existed
  // before.
  const views = openViews(memory);
  const counters = new Int32Array(setup.counters);
  const limits = new Int32Array(setup.limits);
  const galleries = new Map<number, Block[]>();

  function search(order: SearchRequest): SearchReply {
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

  port.on('message', (order: SearchRequest | ForgetRequest) => {
    if (order.type === 'forget') galleries.delete(order.gallery);
    else port.postMessage(search(order));
  });
}
