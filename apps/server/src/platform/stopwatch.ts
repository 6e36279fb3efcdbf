// How long ago something was, for what must not be thought fresh by mistake.
import os from 'node:os';

/**
 * Milliseconds since the call, by the count of the system since its start: it goes on while a machine sleeps, which `performance.now` does
 * not, and nobody can set it. To ask takes 4 µs or more, because the system is asked through a file, so it is done once a millisecond.
 */
export function startStopwatch(): () => number {
  const begun = os.uptime();
  let passed = 0;
  let askedAt = performance.now();
  let askedByWallClock = Date.now();
  return () => {
    // Neither clock would do alone: the one stands still while the machine sleeps, the other can be set.
    const now = performance.now();
    const byWallClock = Date.now();
    if (now - askedAt >= 1 || byWallClock !== askedByWallClock) {
      passed = (os.uptime() - begun) * 1_000;
      askedAt = now;
      askedByWallClock = byWallClock;
    }
    return passed;
  };
}
