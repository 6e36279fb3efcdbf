// Hands what a person does to whoever waits for it. What nobody waits for is a click too many, and is dropped.

export interface Inbox<Value> {
  put(value: Value): void;
  /** The next one, or the signal's reason. */
  take(signal: AbortSignal): Promise<Value>;
}

export function createInbox<Value>(): Inbox<Value> {
  let give: ((value: Value) => void) | undefined;
  return {
    put: (value) => give?.(value),
    take: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const abort = () => {
          give = undefined;
          reject(signal.reason);
        };
        signal.addEventListener('abort', abort, { once: true });
        give = (value) => {
          give = undefined;
          signal.removeEventListener('abort', abort);
          resolve(value);
        };
      }),
  };
}
