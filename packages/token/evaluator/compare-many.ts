// Compares many rows with one probe, in chunks that threads prepare ahead of the consumer.
import type { Order } from './compare-thread.ts';
import type { ThreadPool } from './thread-pool.ts';

/** `bytes` has `count` rows. `from` is the number of the first. */
export type TakeRows = (bytes: Uint8Array, count: number, from: number) => Promise<void>;

export interface Search {
  /** Tokens to compare, one row each. */
  count: number;
  /** Maximum rows per chunk, and bytes per row. */
  mostRows: number;
  rowBytes: number;
  threads: number;
  makeOrder(from: number, to: number, out: SharedArrayBuffer): Order;
  /** Throws if the search must stop. */
  check(): void;
}

/** Small enough for several chunks per thread, large enough to limit messages. */
const FEWEST_ROWS = 32;
const CHUNKS_A_THREAD = 4;

/**
 * Chunks are taken one at a time in order. A chunk's bytes are overwritten once its promise is
 * fulfilled. Buffers are never shared between searches, so rows of one search never reach another.
 */
export async function compareMany(pool: ThreadPool, search: Search, takeRows: TakeRows): Promise<void> {
  const { count: rowCount, mostRows, rowBytes, threads, makeOrder, check } = search;
  const shared = Math.ceil(rowCount / (CHUNKS_A_THREAD * threads));
  const rowsAtOnce = Math.min(mostRows, Math.max(FEWEST_ROWS, shared));
  const chunks = Math.ceil(rowCount / rowsAtOnce);
  const rowsOf = (chunk: number) => Math.min(rowsAtOnce, rowCount - chunk * rowsAtOnce);
  // One chunk is taken while each thread prepares another.
  const buffers = Array.from({ length: Math.min(threads + 1, chunks) }, () => {
    return new SharedArrayBuffer(rowsOf(0) * rowBytes);
  });
  const made: Promise<void>[] = [];
  let isOver = false;

  function begin(chunk: number): void {
    const from = chunk * rowsAtOnce;
    const order = makeOrder(from, from + rowsOf(chunk), buffers[chunk % buffers.length]!);
    const making = pool.make(order, () => !isOver);
    // Awaited in order. Until then a rejection counts as handled.
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
    // Until no thread reads tokens anymore.
    await Promise.allSettled(made);
  }
}
