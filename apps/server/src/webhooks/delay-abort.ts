// A signal that follows another one some time later, so that what is under way may end by itself.

/** `release` must be called when the work has ended. */
export function delayAbort(stop: AbortSignal, graceMs: number): { signal: AbortSignal; release: () => void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => late.abort(stop.reason), graceMs);
  };
  stop.addEventListener('abort', wait, { once: true });
  return {
    signal: late.signal,
    release() {
      stop.removeEventListener('abort', wait);
      clearTimeout(timer);
    },
  };
}
