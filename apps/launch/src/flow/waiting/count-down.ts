// Tells how much time is left, for screens that show it.
import type { Platform } from '../platform.ts';

/** Screens show minutes: often enough that none of them is wrong for long. */
const TICK_MS = 15_000;

/** Calls back at once, every now and then, and for the last time with 0, when the time is over. The result stops it. */
export function countDown(
  platform: Pick<Platform, 'now' | 'after'>,
  until: number,
  onTick: (leftMs: number) => void,
): () => void {
  let stopTimer = () => {};
  tick();
  return () => stopTimer();

  function tick(): void {
    const leftMs = Math.max(until - platform.now(), 0);
    // First, so that whoever is called back can stop it.
    if (leftMs > 0) stopTimer = platform.after(Math.min(leftMs, TICK_MS), tick);
    onTick(leftMs);
  }
}
