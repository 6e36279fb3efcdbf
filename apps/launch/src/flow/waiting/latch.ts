// A value that comes and goes, and that can be waited for.

export interface Latch<Value> {
  set(value: Value | null): void;
  /** The value as soon as there is one. */
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
