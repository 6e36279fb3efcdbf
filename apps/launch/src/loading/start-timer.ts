/** Calls back once. Returns a function that cancels the timer. */
export type After = (delayMs: number, callback: () => void) => () => void;

export const startTimer: After = (delayMs, callback) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};
