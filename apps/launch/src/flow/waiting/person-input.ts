// Queues the person's input for the code that waits for it.
import type { DocumentChoice } from '../../steps/document/scan-document.ts';
import type { PersonChoice } from '../check/step-tools.ts';

export interface PersonInput {
  /** Element of the capture screen. */
  video: Latch<HTMLVideoElement>;
  document: Inbox<DocumentChoice>;
  person: Inbox<PersonChoice>;
  /** Number that the other device shows; null for none of them. */
  number: Inbox<string | null>;
  returnCode: Inbox<string>;
}

export function createPersonInput(): PersonInput {
  return {
    video: createLatch(),
    document: createInbox(),
    person: createInbox(),
    number: createInbox(),
    returnCode: createInbox(),
  };
}

interface Inbox<Value> {
  put(value: Value): void;
  /** Resolves with the next value, or rejects with the reason of the first signal that aborts. */
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

interface Latch<Value> {
  set(value: Value | null): void;
  /** Resolves once there is a value. */
  wait(): Promise<Value>;
}

export function createLatch<Value>(): Latch<Value> {
  let present: Value | null = null;
  let waiting: ((value: Value) => void)[] = [];
  return {
    set(value) {
      present = value;
      if (value === null) return;
      for (const resolve of waiting) resolve(value);
      waiting = [];
    },
    wait: () => (present === null ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(present)),
  };
}
