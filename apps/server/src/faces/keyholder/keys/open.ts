// Enrol keys that are open: a few, the most recently used; one that leaves is wiped once nobody works with it any more.
import type { SecretKey } from '@limen/token/keyholder';

/** An opened key takes some 12 KB. */
const MAX_OPENED = 256;

interface OpenKey {
  key: Promise<SecretKey>;
  users: number;
  isOut: boolean;
}

export interface OpenKeys {
  /** Runs `work` with the key of this name, which stays what it is until then. */
  use<T>(name: string, open: () => Promise<SecretKey>, work: (key: SecretKey) => T | Promise<T>): Promise<T>;
  names(): string[];
  close(name: string): void;
  closeAll(): void;
}

export function createOpenKeys(wipe: (key: SecretKey) => void, most: number = MAX_OPENED): OpenKeys {
  /** Most recently used last. */
  const entries = new Map<string, OpenKey>();

  function wipeUnused({ key, users, isOut }: OpenKey): void {
    if (isOut && users === 0) key.then(wipe, () => {}); // one that did not open left nothing
  }

  function close(name: string): void {
    const entry = entries.get(name);
    if (!entry) return;
    entries.delete(name);
    entry.isOut = true;
    wipeUnused(entry);
  }

  return {
    close,
    names: () => [...entries.keys()],
    closeAll() {
      for (const name of [...entries.keys()]) close(name);
    },
    async use(name, open, work) {
      const entry = entries.get(name) ?? { key: open(), users: 0, isOut: false };
      entries.delete(name);
      entries.set(name, entry);
      entry.users += 1;
      if (entries.size > most) close(entries.keys().next().value!);
      try {
        const key = await entry.key.catch((error: unknown) => {
          if (entries.get(name) === entry) close(name);
          throw error;
        });
        return await work(key);
      } finally {
        entry.users -= 1;
        wipeUnused(entry);
      }
    },
  };
}
