// How long to wait before the next try, longer each time.
const FIRST_MS = 50;
const LONGEST_MS = 5_000;

export interface Backoff {
  /** Milliseconds, with a random part so that many do not come back at the same moment. */
  next(): number;
  reset(): void;
}

export function createBackoff(): Backoff {
  let tries = 0;
  return {
    next() {
      const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries++, 16));
      return ceiling / 2 + Math.random() * (ceiling / 2);
    },
    reset() {
      tries = 0;
    },
  };
}
