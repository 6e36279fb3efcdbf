// How long ago something was, for what must not be thought fresh by mistake.
import os from 'node:os';

/** To ask takes 4 µs or more, because the system is asked through a file. Whoever uses this thinks in seconds. */
const ASKED_EVERY_MS = 20;

/**
 * Milliseconds since the call, by the count of the system since its start: it goes on while a machine sleeps, which `performance.now` does
 * not, and nobody can set it. It is asked now and then, and at once where either clock says that time has passed.
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
    if (now - askedAt >= ASKED_EVERY_MS || Math.abs(byWallClock - askedByWallClock) >= ASKED_EVERY_MS) {
      passed = (os.uptime() - begun) * 1_000;
      askedAt = now;
      askedByWallClock = byWallClock;
    }
    return passed;
  };
}
