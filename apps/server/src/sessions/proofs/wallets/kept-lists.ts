// Lists that were fetched and believed, kept for the next who needs them: so many bytes of them, and the one that was kept first goes first.

export interface KeptLists<One> {
  find(key: string): One | undefined;
  /** In place of what was there before. `bytes` is what it takes in memory. */
  keep(key: string, one: One, bytes: number): void;
}

export function createKeptLists<One>(maxBytes: number): KeptLists<One> {
  const kept = new Map<string, { one: One; bytes: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  return {
    find: (key) => kept.get(key)?.one,

    keep(key, one, bytes) {
      drop(key);
      kept.set(key, { one, bytes });
      total += bytes;
      for (const oldest of kept.keys()) {
        if (total <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}
