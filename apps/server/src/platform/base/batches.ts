// Splits work into batches.
import { setImmediate } from 'node:timers/promises';

export function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Repeats `work` until it returns less than `limit`. Requests run in between. */
export async function inBatches(signal: AbortSignal, limit: number, work: () => Promise<number>): Promise<void> {
  let full = true;
  while (full && !signal.aborted) {
    full = (await work()) === limit;
    await setImmediate();
  }
}
