// One row after the other with the same probe, in chunks that threads make ahead of whoever takes them.
import type { Order } from './compare-thread.ts';
import type { ThreadPool } from './thread-pool.ts';

/** `bytes` has `count` rows; `from` is the number of the first. */
export type TakeRows = (bytes: Uint8Array, count: number, from: number) => Promise<void>;

export interface Search {
  /** What is compared, one row each. */
  count: number;
  /** Rows of a chunk at most, and bytes of each. */
  mostRows: number;
  rowBytes: number;
  threads: number;
  makeOrder(from: number, to: number, out: SharedArrayBuffer): Order;
  /** Throws when the search must not go on. */
  check(): void;
}

/** Small enough for each thread to have a few of them, and not so small that messages are most of the work. */
const FEWEST_ROWS = 32;
const CHUNKS_A_THREAD = 4;

/**
 * Chunks are taken in order and one at a time. A chunk's bytes are overwritten once it was taken, which is when the
 * promise is kept. No buffer is used for two searches: rows of one never come into the other's hands.
 */
export async function compareMany(pool: ThreadPool, search: Search, takeRows: TakeRows): Promise<void> {
  const { count: all, mostRows, rowBytes, threads, makeOrder, check } = search;
  const shared = Math.ceil(all / (CHUNKS_A_THREAD * threads));
  const rowsAtOnce = Math.min(mostRows, Math.max(FEWEST_ROWS, shared));
  const chunks = Math.ceil(all / rowsAtOnce);
  const rowsOf = (chunk: number) => Math.min(rowsAtOnce, all - chunk * rowsAtOnce);
  // One is taken while each thread makes another.
  const buffers = Array.from({ length: Math.min(threads + 1, chunks) }, () => {
    return new SharedArrayBuffer(rowsOf(0) * rowBytes);
  });
  const made: Promise<void>[] = [];
  let isOver = false;

  function begin(chunk: number): void {
    const from = chunk * rowsAtOnce;
    const order = makeOrder(from, from + rowsOf(chunk), buffers[chunk % buffers.length]!);
    const making = pool.make(order, () => !isOver);
    // Looked at when its turn comes; until then a failure is nobody's.
    making.catch(() => undefined);
    made.push(making);
  }

  try {
    for (let chunk = 0; chunk < buffers.length; chunk++) begin(chunk);
    for (let chunk = 0; chunk < chunks; chunk++) {
      await made[chunk];
      check();
      const count = rowsOf(chunk);
      const bytes = new Uint8Array(buffers[chunk % buffers.length]!, 0, count * rowBytes);
      await takeRows(bytes, count, chunk * rowsAtOnce);
      check();
      if (made.length < chunks) begin(made.length);
    }
  } finally {
    isOver = true;
    // Until none of them reads tokens any longer.
    await Promise.allSettled(made);
  }
}
