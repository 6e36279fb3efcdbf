// Limits how many tasks run at a time. Tasks of one key start in the order in which they came, and keys take turns.

/** The queue is full. The task was not started; the caller can try again in a moment. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

export interface LimiterOptions {
  /** Maximum number of running tasks. */
  maxRunning?: number;
  /** Maximum weight of all running tasks together. A heavier task runs alone. */
  maxWeight?: number;
  /** Maximum number of waiting tasks; `run` throws QueueFullError beyond it. */
  maxWaiting?: number;
  /** Maximum number of waiting tasks of one key. */
  maxWaitingOfKey?: number;
  /**
   * Chooses whose first task starts next: one of the keys with waiting tasks, or none. By default the key whose latest start
   * was longest ago. `lastStarted` is the key of the latest start; empty before the first.
   */
  chooseKey?: <Key extends KeyState>(keys: readonly Key[], lastStarted: string) => Key | undefined;
}

export interface TaskOptions {
  key?: string;
  weight?: number;
  /** Ends the wait. A task that runs must observe the signal itself. */
  signal?: AbortSignal | undefined;
}

/** Tasks of one key. */
export interface KeyState {
  readonly key: string;
  readonly running: number;
  /** Weight of its running tasks. */
  readonly weight: number;
  readonly waiting: readonly { readonly weight: number }[];
  /** Number of its latest start among all starts; 0 for a key that had no tasks. */
  readonly lastStart: number;
}

/** Share of the limit that one running task holds. */
export interface Slot {
  /** Returns part of the task's weight before the task ends. */
  shrink(weight: number): void;
  release(): void;
}

interface Waiting {
  weight: number;
  start(slot: Slot): void;
}

interface KeyLine extends KeyState {
  running: number;
  weight: number;
  waiting: Waiting[];
  lastStart: number;
}

export class Limiter {
  readonly #options: LimiterOptions;
  /** Keys with running or waiting tasks. */
  readonly #lines = new Map<string, KeyLine>();
  #starts = 0;
  #lastStarted = '';
  #running = 0;
  #waiting = 0;
  #weight = 0;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Weight of all running tasks. */
  get weight(): number {
    return this.#weight;
  }

  get isIdle(): boolean {
    return this.#lines.size === 0;
  }

  async run<T>(work: () => Promise<T>, options?: TaskOptions): Promise<T> {
    const slot = await this.acquire(options);
    try {
      return await work();
    } finally {
      slot.release();
    }
  }

  /** Waits for a slot, which the caller must release. */
  async acquire({ key = '', weight = 1, signal }: TaskOptions = {}): Promise<Slot> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const line = this.#lines.get(key) ?? { key, running: 0, weight: 0, waiting: [], lastStart: 0 };
    const task: Waiting = { weight, start: resolve };
    this.#lines.set(key, line);
    line.waiting.push(task);
    this.#waiting += 1;
    this.#startNext();
    if (this.#isTooLong(line) && this.#leave(line, task)) throw new QueueFullError('too many tasks are waiting');
    const giveUp = () => {
      if (this.#leave(line, task)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #isTooLong({ waiting }: KeyLine): boolean {
    const { maxWaiting = Infinity, maxWaitingOfKey = Infinity } = this.#options;
    return this.#waiting > maxWaiting || waiting.length > maxWaitingOfKey;
  }

  /** Removes a task that waits. Returns false if it has started. */
  #leave(line: KeyLine, task: Waiting): boolean {
    const place = line.waiting.indexOf(task);
    if (place < 0) return false;
    line.waiting.splice(place, 1);
    this.#waiting -= 1;
    this.#forgetIfIdle(line);
    // The task may have kept lighter ones waiting.
    this.#startNext();
    return true;
  }

  /** Never lets a light task pass a heavy one that was chosen: the heavy one would starve. */
  #startNext(): void {
    const { chooseKey = longestWithoutStart, maxRunning = Infinity } = this.#options;
    while (this.#waiting > 0 && this.#running < maxRunning) {
      const line = chooseKey([...this.#lines.values()], this.#lastStarted);
      if (!line || !this.#hasRoom(line.waiting[0]!)) return;
      this.#waiting -= 1;
      this.#start(line, line.waiting.shift()!);
    }
  }

  #hasRoom({ weight }: Waiting): boolean {
    return this.#running === 0 || this.#weight + weight <= (this.#options.maxWeight ?? Infinity);
  }

  #start(line: KeyLine, { weight, start }: Waiting): void {
    let held = 0;
    let isReleased = false;
    const hold = (more: number) => {
      held += more;
      line.weight += more;
      this.#weight += more;
    };
    hold(weight);
    line.running += 1;
    this.#running += 1;
    line.lastStart = ++this.#starts;
    this.#lastStarted = line.key;
    start({
      shrink: (less) => {
        hold(-Math.min(held, less));
        this.#startNext();
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        hold(-held);
        line.running -= 1;
        this.#running -= 1;
        this.#startNext();
        this.#forgetIfIdle(line);
      },
    });
  }

  #forgetIfIdle(line: KeyLine): void {
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(line.key);
  }
}

function longestWithoutStart<Key extends KeyState>(keys: readonly Key[]): Key | undefined {
  let chosen: Key | undefined;
  for (const key of keys)
    if (key.waiting.length > 0 && key.lastStart < (chosen?.lastStart ?? Number.POSITIVE_INFINITY)) chosen = key;
  return chosen;
}

/** One limiter per key. Keys do not wait for each other. */
export class LimiterPerKey {
  readonly #options: LimiterOptions;
  readonly #limiters = new Map<string, Limiter>();

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  async run<T>(key: string, work: () => Promise<T>, options?: TaskOptions): Promise<T> {
    const limiter = this.#limiters.get(key) ?? new Limiter(this.#options);
    this.#limiters.set(key, limiter);
    try {
      return await limiter.run(work, options);
    } finally {
      if (limiter.isIdle && this.#limiters.get(key) === limiter) this.#limiters.delete(key);
    }
  }
}
