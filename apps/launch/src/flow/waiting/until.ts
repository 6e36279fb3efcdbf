// Waits for a promise no longer than it is wanted, or than a time limit.
import type { Platform } from '../platform.ts';

/** The promise, or the signal's reason if that comes first; what comes after it goes to `onLate`. */
export function until<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
  onLate: (result: Result) => void = () => undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const abort = () => {
      isLate = true;
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const take = (result: Result) => (isLate ? onLate(result) : resolve(result));
    promise.then(take, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function limitPatience(platform: Pick<Platform, 'after'>, limitMs: number, given: AbortSignal) {
  // AbortSignal.any would say it shorter, but Safari has it only since 17.4.
  const control = new AbortController();
  const giveUp = () => control.abort(given.reason);
  const stopTimer = platform.after(limitMs, () => control.abort());
  given.addEventListener('abort', giveUp);
  if (given.aborted) giveUp();
  return {
    /** Aborts when the time is over, or when the given signal aborts; then with its reason. */
    signal: control.signal,
    /** Releases the timer and the listener. Call it after the wait, even if that failed. */
    stop(): void {
      stopTimer();
      given.removeEventListener('abort', giveUp);
    },
  };
}
