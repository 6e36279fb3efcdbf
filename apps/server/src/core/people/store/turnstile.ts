// Lets only so much work through at a time for each key, in the order in which it came.

interface TurnstileOptions {
  /** Pieces of work for one key at a time. */
  maxAtOnce: number;
  /** Their weights together; a single piece may weigh more. */
  maxWeight: number;
  /** Pieces in line for one key; whoever comes then is sent away with `TooManyWaiting`. */
  maxWaiting: number;
}

/** Nothing was begun; the same piece may come again in a moment. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';
}

interface Line {
  inside: number;
  weight: number;
  waiting: { weight: number; enter: () => void }[];
}

export type Turnstile = <T>(key: string, weight: number, work: () => Promise<T>) => Promise<T>;

export function createTurnstile({ maxAtOnce, maxWeight, maxWaiting }: TurnstileOptions): Turnstile {
  const lines = new Map<string, Line>();

  function hasRoom({ inside, weight }: Line, more: number): boolean {
    return inside === 0 || (inside < maxAtOnce && weight + more <= maxWeight);
  }

  function enter(line: Line, weight: number): void {
    line.inside += 1;
    line.weight += weight;
  }

  function leave(key: string, line: Line, weight: number): void {
    line.inside -= 1;
    line.weight -= weight;
    for (let next = line.waiting[0]; next && hasRoom(line, next.weight); next = line.waiting[0]) {
      line.waiting.shift();
      enter(line, next.weight);
      next.enter();
    }
    if (line.inside === 0) lines.delete(key);
  }

  return async (key, weight, work) => {
    const line = lines.get(key) ?? { inside: 0, weight: 0, waiting: [] };
    lines.set(key, line);
    if (line.waiting.length === 0 && hasRoom(line, weight)) enter(line, weight);
    else if (line.waiting.length >= maxWaiting) throw new TooManyWaiting('too much is waiting already');
    else await new Promise<void>((resolve) => line.waiting.push({ weight, enter: resolve }));
    try {
      return await work();
    } finally {
      leave(key, line, weight);
    }
  };
}
