// A timer that is stopped by what starting it gives.

/** Calls back once; the result stops it. */
export type After = (delayMs: number, callback: () => void) => () => void;

export const startTimer: After = (delayMs, callback) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};
