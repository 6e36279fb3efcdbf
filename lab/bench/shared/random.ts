// Reproducible random numbers.

export interface Random {
  /** Returns a number from 0 up to, but excluding, 1. */
  next(): number;
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: Item[]): Item[];
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)]!,
    shuffle(items) {
      for (let at = items.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        [items[at], items[other]] = [items[other]!, items[at]!];
      }
      return items;
    },
  };
}
