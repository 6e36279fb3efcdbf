// Lets a few work at a time, and the others wait in the order in which they came.

export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(work) {
      if (running < most) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // A turn is handed on, so that nobody who comes now can be quicker than who waits.
        if (next) next();
        else running -= 1;
      }
    },
  };
}
