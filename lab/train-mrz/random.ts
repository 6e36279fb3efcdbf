// Seeded random numbers, for reproducible training.

export interface Random {
  /** Returns a number from 0 up to, but excluding, 1. */
  next(): number;
  between(from: number, to: number): number;
  /** Returns a whole number from 0 up to, but excluding, `count`. */
  below(count: number): number;
  chance(share: number): boolean;
  /** Normally distributed, mean 0 and deviation 1. */
  normal(): number;
  pick<T>(items: ArrayLike<T>): T;
}

/** Two numbers, so that callers need not mix a seed and a position. */
export function createRandom(seed: number, position = 0): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(position + 1, 0x85ebca6b)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < 4; round += 1) next();
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    below: (count) => Math.floor(next() * count),
    chance: (share) => next() < share,
    // The sum of three uniform numbers is close enough to normal for noise, and cheap.
    normal: () => (next() + next() + next() - 1.5) * 2,
    pick: (items) => items[Math.floor(next() * items.length)]!,
  };
}
