// An arena whose slots stay as they are for as long as a search that knows them runs: a slot that was given to another
// token meanwhile would name the wrong person.
import type { TokenArena } from '@limen/token/evaluator';

export type PinnedArena = ReturnType<typeof pinArena>;

export function pinArena(arena: TokenArena) {
  let tick = 0;
  /** When each search began, oldest first. */
  const pins = new Set<number>();
  const removed: { slot: number; at: number }[] = [];

  return {
    arena,
    add: (body: Uint8Array) => arena.add(body),
    addBlock: (block: Uint8Array, ofProbes: Int32Array) => arena.addBlock(block, ofProbes),
    /** Overwritten once every search that began earlier has ended. */
    remove(slot: number): void {
      removed.push({ slot, at: tick });
      sweep();
    },
    /** Keeps all slots of this moment until the returned function is called. */
    pin(): () => void {
      tick += 1;
      const mine = tick;
      pins.add(mine);
      return () => {
        if (pins.delete(mine)) sweep();
      };
    },
  };

  function sweep(): void {
    const [oldest = Number.POSITIVE_INFINITY] = pins;
    let free = 0;
    while (free < removed.length && removed[free]!.at < oldest) free += 1;
    for (const { slot } of removed.splice(0, free)) arena.remove(slot);
  }
}
