// A cache of the most recently used enrollment keys. An evicted key is wiped once no call uses it any more.
import type { SecretKey } from '@limen/token/keyholder';

const MAX_OPENED = 256;

interface OpenKey {
  key: Promise<SecretKey>;
  users: number;
  isEvicted: boolean;
}

export class OpenKeys {
  readonly #wipe;
  readonly #most;
  /** Most recently used last. */
  readonly #entries = new Map<string, OpenKey>();

  constructor(wipe: (key: SecretKey) => void, most = MAX_OPENED) {
    this.#wipe = wipe;
    this.#most = most;
  }

  /** Runs `work` with the key of this name, which is not wiped until `work` ends. */
  async use<T>(name: string, open: () => Promise<SecretKey>, work: (key: SecretKey) => T | Promise<T>): Promise<T> {
    const entry = this.#entries.get(name) ?? { key: open(), users: 0, isEvicted: false };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    entry.users += 1;
    if (this.#entries.size > this.#most) this.close(this.#entries.keys().next().value!);
    try {
      const key = await entry.key.catch((error: unknown) => {
        if (this.#entries.get(name) === entry) this.close(name);
        throw error;
      });
      return await work(key);
    } finally {
      entry.users -= 1;
      this.#wipeUnused(entry);
    }
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  close(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    entry.isEvicted = true;
    this.#wipeUnused(entry);
  }

  closeAll(): void {
    for (const name of this.names()) this.close(name);
  }

  #wipeUnused({ key, users, isEvicted }: OpenKey): void {
    if (isEvicted && users === 0) key.then(this.#wipe, () => {}); // a key that did not open left nothing
  }
}
