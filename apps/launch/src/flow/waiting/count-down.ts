import type { Platform } from '../platform.ts';

/** Screens show minutes, so this keeps them accurate enough. */
const TICK_MS = 15_000;

/** Calls back at once, regularly, and finally with 0. Returns a function that stops it. */
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
    // Set before the callback, so that the callback can stop it.
    if (leftMs > 0) stopTimer = platform.after(Math.min(leftMs, TICK_MS), tick);
    onTick(leftMs);
  }
}
