// Waits for something no longer than somebody wants it, and no longer than a time.
import type { Platform } from '../platform.ts';

export interface TimeLimit {
  /** Heard when the time is over, or whoever waits has given up; then with their reason. */
  signal: AbortSignal;
  /** To be called when the waiting is over, whatever came of it. */
  stop(): void;
}

export function limitPatience(platform: Pick<Platform, 'after'>, limitMs: number, given: AbortSignal): TimeLimit {
  // AbortSignal.any would say it shorter, but Safari has it only since 17.4.
  const control = new AbortController();
  const giveUp = () => control.abort(given.reason);
  const stopTimer = platform.after(limitMs, () => control.abort());
  given.addEventListener('abort', giveUp);
  if (given.aborted) giveUp();
  return {
    signal: control.signal,
    stop() {
      stopTimer();
      given.removeEventListener('abort', giveUp);
    },
  };
}
