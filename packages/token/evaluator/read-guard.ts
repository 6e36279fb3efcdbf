// Defers actions during reads: a removed token is wiped once no search can still read it.

export type ReadGuard = ReturnType<typeof createReadGuard>;

export function createReadGuard() {
  // In order of their start.
  const readers = new Set<number>();
  let next = 0;
  let waiting: { from: number; work: () => void }[] = [];

  function settle(): void {
    const [oldest = next] = readers;
    const due = waiting.filter(({ from }) => from <= oldest);
    waiting = waiting.filter(({ from }) => from > oldest);
    for (const { work } of due) work();
  }

  return {
    /** Starts a read. Returns a function that ends it. */
    begin(): () => void {
      const reader = next++;
      readers.add(reader);
      return () => {
        if (readers.delete(reader)) settle();
      };
    },
    /** Runs immediately without readers, otherwise when all current readers have ended. */
    afterReaders(work: () => void): void {
      waiting.push({ from: next, work });
      settle();
    },
  };
}
