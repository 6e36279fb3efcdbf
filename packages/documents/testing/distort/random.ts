export interface Random {
  /** In [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  /** An integer in [0, count). */
  below(count: number): number;
  pick<T>(choices: readonly T[]): T;
  /** Minus or plus one. */
  sign(): -1 | 1;
  /** Mean 0, deviation 1. */
  normal(): number;
}

export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    between: (low, high) => low + (high - low) * next(),
    pick: (choices) => choices[below(choices.length)]!,
    sign: () => (next() < 0.5 ? -1 : 1),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
