import type { Platform } from '../platform.ts';

/** Resolves with the promise unless `signal` aborts first. `onLate` gets later results. */
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

export function limitPatience(platform: Pick<Platform, 'after'>, limitMs: number, parent: AbortSignal) {
  // AbortSignal.any would be shorter, but Safari supports it only since 17.4.
  const control = new AbortController();
  const giveUp = () => control.abort(parent.reason);
  const stopTimer = platform.after(limitMs, () => control.abort());
  parent.addEventListener('abort', giveUp);
  if (parent.aborted) giveUp();
  return {
    /** Aborts when the time is over, or with the reason of the parent signal. */
    signal: control.signal,
    /** Releases the timer and the listener. Call it after the wait, even if that failed. */
    stop(): void {
      stopTimer();
      parent.removeEventListener('abort', giveUp);
    },
  };
}
