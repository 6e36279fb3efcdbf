// Waits for a promise no longer than somebody wants it.

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
