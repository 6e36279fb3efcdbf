// How long to wait before the next try, longer each time.
const FIRST_MS = 50;
const LONGEST_MS = 5_000;

export type Backoff = ReturnType<typeof createBackoff>;

export function createBackoff() {
  let tries = 0;
  return {
    /** Milliseconds, with a random part so that many do not come back at the same moment. */
    next(): number {
      const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries++, 16));
      return ceiling / 2 + Math.random() * (ceiling / 2);
    },
    reset(): void {
      tries = 0;
    },
  };
}
