// Upkeep in pieces: one after another until there is no more to do, with room for requests in between.
import { setImmediate } from 'node:timers/promises';

/** `work` does at most `limit` and says how much it was; anything less is the end. */
export async function inBatches(signal: AbortSignal, limit: number, work: () => Promise<number>): Promise<void> {
  let full = true;
  while (full && !signal.aborted) {
    full = (await work()) === limit;
    await setImmediate(); // whoever has come in the meantime goes first
  }
}
