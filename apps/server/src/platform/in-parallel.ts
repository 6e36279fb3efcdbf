// Works through many small things, some of them at once.

export async function inParallel<T>(work: readonly T[], atOnce: number, act: (one: T) => Promise<void>): Promise<void> {
  const queue = work.values();
  const drain = async () => {
    for (const one of queue) await act(one);
  };
  await Promise.all(Array.from({ length: atOnce }, drain));
}
