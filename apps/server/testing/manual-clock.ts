// A clock that stands still until the test moves it.
import type { Clock } from '../src/platform/base/clock.ts';

export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
}

export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
