// Hands what a person does to whoever waits for it. What nobody waits for is a click too many, and is dropped.

export interface Inbox<Value> {
  put(value: Value): void;
  /** The next one, or the reason of the first signal that is heard. */
  take(...signals: readonly AbortSignal[]): Promise<Value>;
}

export function createInbox<Value>(): Inbox<Value> {
  let give: ((value: Value) => void) | undefined;
  return {
    put: (value) => give?.(value),
    take: (...signals) =>
      new Promise((resolve, reject) => {
        for (const signal of signals) signal.throwIfAborted();
        const leave = () => {
          give = undefined;
          for (const signal of signals) signal.removeEventListener('abort', abort);
        };
        const abort = () => {
          leave();
          reject(signals.find(({ aborted }) => aborted)?.reason);
        };
        for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
        give = (value) => {
          leave();
          resolve(value);
        };
      }),
  };
}
