// Puts off what must not happen while somebody reads: a removed token is wiped once no search can still be reading it.

export type ReadGuard = ReturnType<typeof createReadGuard>;

export function createReadGuard() {
  // In the order in which they began.
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
    /** Begins to read; what it returns ends it. */
    begin(): () => void {
      const reader = next++;
      readers.add(reader);
      return () => {
        if (readers.delete(reader)) settle();
      };
    },
    /** At once when nobody reads, else when all have ended who read now. */
    afterReaders(work: () => void): void {
      waiting.push({ from: next, work });
      settle();
    },
  };
}
