// Counts the work of the last minute: a sliding window made of the current minute and the one before.

export interface RecentWork {
  add(ms: number): void;
  readonly ms: number;
}

const WINDOW_MS = 60_000;

/** `now` must never jump. */
export function createRecentWork(now: () => number = () => performance.now()): RecentWork {
  let window = Math.floor(now() / WINDOW_MS);
  let current = 0;
  let previous = 0;

  function advance(): void {
    const next = Math.floor(now() / WINDOW_MS);
    if (next === window) return;
    previous = next === window + 1 ? current : 0;
    current = 0;
    window = next;
  }

  return {
    add(ms) {
      advance();
      current += ms;
    },
    get ms() {
      advance();
      return current + previous * (1 - (now() % WINDOW_MS) / WINDOW_MS);
    },
  };
}
