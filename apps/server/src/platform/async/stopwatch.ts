// Measures elapsed time that includes sleep of the machine.
import os from 'node:os';

/** Maximum age of a reading, which takes 4 µs or more. Callers think in seconds. */
const READ_EVERY_MS = 20;

/** Returns elapsed milliseconds by the uptime, which cannot be set. It is read when the monotonic or the wall clock has moved. */
export function startStopwatch(): () => number {
  const begun = os.uptime();
  let passed = 0;
  let readAt = performance.now();
  let readAtWallClock = Date.now();
  return () => {
    const now = performance.now();
    const wallClock = Date.now();
    if (now - readAt >= READ_EVERY_MS || Math.abs(wallClock - readAtWallClock) >= READ_EVERY_MS) {
      passed = (os.uptime() - begun) * 1_000;
      readAt = now;
      readAtWallClock = wallClock;
    }
    return passed;
  };
}
