// Cuts work into pieces.
import { setImmediate } from 'node:timers/promises';

/** Cuts a list into groups of at most `size`, in order. */
export function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Repeats `work`, which does at most `limit` and returns how much it did, until it does less. Requests run in between. */
export async function inBatches(signal: AbortSignal, limit: number, work: () => Promise<number>): Promise<void> {
  let full = true;
  while (full && !signal.aborted) {
    full = (await work()) === limit;
    await setImmediate();
  }
}
