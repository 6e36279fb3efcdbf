// Remembers keys that have signed: to read one costs a third of what a signature does, and a device signs several calls.
import type { KeyObject } from 'node:crypto';

/** Of more than `max`, the one that was used longest ago is forgotten. `read`: undefined for a text that is no key. */
export function createKnownKeys(max: number, read: (text: string) => KeyObject | undefined) {
  /** By their texts, the last used last. */
  const keys = new Map<string, KeyObject>();
  return {
    /**
     * Whether the key of this text stands the check. It is remembered only where it does, or whoever sends keys that have signed nothing
     * would have those of real devices forgotten.
     */
    async check(text: string, stands: (key: KeyObject) => Promise<boolean>) {
      const key = keys.get(text) ?? read(text);
      if (!key || !(await stands(key))) return false;
      keys.delete(text);
      const [oldest] = keys.keys();
      if (oldest !== undefined && keys.size >= max) keys.delete(oldest);
      keys.set(text, key);
      return true;
    },
  };
}

export type KnownKeys = ReturnType<typeof createKnownKeys>;
