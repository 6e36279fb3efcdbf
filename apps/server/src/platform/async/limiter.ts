// Limits how many tasks run at a time. Tasks of one key start in order, and keys take turns.

/** The queue is full. The task was not started, and the caller can retry later. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

export interface LimiterOptions {
  maxRunning?: number;
  /** Maximum weight of running tasks. A heavier task runs alone. */
  maxWeight?: number;
  /** Maximum number of waiting tasks. `run` throws QueueFullError beyond it. */
  maxWaiting?: number;
  maxWaitingOfKey?: number;
  /** Chooses the key that starts next, by default the one with the oldest latest start. `lastStarted` is empty before the first. */
  chooseKey?: (keys: readonly KeyState[], lastStarted: string) => KeyState | undefined;
}

export interface TaskOptions {
  key?: string;
  weight?: number;
  /** Ends the wait. A running task must observe the signal itself. */
  signal?: AbortSignal | undefined;
}

export interface KeyState {
  readonly key: string;
  running: number;
  weight: number;
  waiting: QueuedTask[];
  /** Number of its latest start among all starts; 0 before its first. */
  lastStart: number;
}

export interface Slot {
  /** Returns part of the task's weight before the task ends. */
  shrink(weight: number): void;
  release(): void;
}

interface QueuedTask {
  weight: number;
  start(slot: Slot): void;
}

export class Limiter {
  readonly #options: LimiterOptions;
  readonly #keys = new Map<string, KeyState>();
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

  get weight(): number {
    return this.#weight;
  }

  get isIdle(): boolean {
    return this.#keys.size === 0;
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
    const state = this.#keys.get(key) ?? { key, running: 0, weight: 0, waiting: [], lastStart: 0 };
    const task: QueuedTask = { weight, start: resolve };
    this.#keys.set(key, state);
    state.waiting.push(task);
    this.#waiting += 1;
    this.#startNext();
    const { maxWaiting = Infinity, maxWaitingOfKey = Infinity } = this.#options;
    const isTooLong = this.#waiting > maxWaiting || state.waiting.length > maxWaitingOfKey;
    if (isTooLong && this.#leave(state, task)) throw new QueueFullError('too many tasks are waiting');
    const giveUp = () => {
      if (this.#leave(state, task)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** Removes a waiting task. Returns false if it has started. */
  #leave(state: KeyState, task: QueuedTask): boolean {
    const place = state.waiting.indexOf(task);
    if (place < 0) return false;
    state.waiting.splice(place, 1);
    this.#waiting -= 1;
    this.#forgetIfIdle(state);
    this.#startNext();
    return true;
  }

  /** Never lets a light task pass a chosen heavy one, which would starve. */
  #startNext(): void {
    const { chooseKey = chooseOldestStart, maxRunning = Infinity, maxWeight = Infinity } = this.#options;
    while (this.#waiting > 0 && this.#running < maxRunning) {
      const state = chooseKey([...this.#keys.values()], this.#lastStarted);
      const [task] = state?.waiting ?? [];
      if (!state || !task || (this.#running > 0 && this.#weight + task.weight > maxWeight)) return;
      this.#waiting -= 1;
      state.waiting.shift();
      this.#start(state, task);
    }
  }

  #start(state: KeyState, { weight, start }: QueuedTask): void {
    let held = 0;
    let isReleased = false;
    const hold = (more: number) => {
      held += more;
      state.weight += more;
      this.#weight += more;
    };
    hold(weight);
    state.running += 1;
    this.#running += 1;
    state.lastStart = ++this.#starts;
    this.#lastStarted = state.key;
    start({
      shrink: (less) => {
        hold(-Math.min(held, less));
        this.#startNext();
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        hold(-held);
        state.running -= 1;
        this.#running -= 1;
        this.#startNext();
        this.#forgetIfIdle(state);
      },
    });
  }

  #forgetIfIdle({ key, running, waiting }: KeyState): void {
    if (running === 0 && waiting.length === 0) this.#keys.delete(key);
  }
}

function chooseOldestStart(keys: readonly KeyState[]): KeyState | undefined {
  let chosen: KeyState | undefined;
  for (const key of keys) if (key.waiting.length > 0 && key.lastStart < (chosen?.lastStart ?? Infinity)) chosen = key;
  return chosen;
}

/** Has one limiter per key. Keys do not wait for each other. */
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
