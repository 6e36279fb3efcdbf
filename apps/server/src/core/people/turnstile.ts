// Lets only so much work through at a time for each key, in the order in which it came.

interface TurnstileOptions {
  /** Pieces of work for one key at a time. */
  maxAtOnce: number;
  /** Their weights together; a single piece may weigh more. */
  maxWeight: number;
}

interface Line {
  inside: number;
  weight: number;
  waiting: { weight: number; enter: () => void }[];
}

export type Turnstile = <T>(key: string, weight: number, work: () => Promise<T>) => Promise<T>;

export function createTurnstile({ maxAtOnce, maxWeight }: TurnstileOptions): Turnstile {
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
    else await new Promise<void>((resolve) => line.waiting.push({ weight, enter: resolve }));
    try {
      return await work();
    } finally {
      leave(key, line, weight);
    }
  };
}
