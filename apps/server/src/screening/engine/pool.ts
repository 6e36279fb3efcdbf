// Worker threads that screen pieces of files and some subjects at a time, in the order that turns.ts decides.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { nameCompiledCode } from '../../platform/base/compiled-code.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { Edition, Task, TaskResults, WorkerOrder, WorkerReply } from './messages.ts';
import { createTurns, LITTLE_MS } from './turns.ts';

/** The slowest piece takes seconds on a busy machine, so a longer task is stuck. */
const TASK_MS = 60_000;

/** The worker of a task failed; `failure` may be logged. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  readonly failure: Record<string, unknown>;

  constructor(failure: Record<string, unknown>) {
    super('a screening worker failed');
    this.failure = failure;
  }
}

export const SERVICE: WorkOwner = { id: 'service', isStranger: false };

export interface Lane {
  /** Time that its tasks have taken so far, summed over all threads */
  readonly workedMs: number;
  /** Calls `make` when the task's turn comes, so that waiting tasks take no memory. */
  run<Kind extends Task['kind']>(make: () => Task & { kind: Kind }): Promise<TaskResults[Kind]>;
  close(): void;
}

interface PoolOptions {
  size?: number | undefined;
  startWorker?: (() => Worker) | undefined;
  taskMs?: number | undefined;
  /** Milliseconds on a clock that never jumps */
  now?: (() => number) | undefined;
}

interface PoolAccount {
  isStranger: boolean;
  recent: ReturnType<typeof createRecentWork>;
  uses: number;
}

/**
 * Time for which the last free thread stays reserved after a call of a known owner, or of one with
 * little work
 */
const KEPT_FREE_MS = 10_000;
const SWEEP_MS = 60_000;

interface LaneState {
  account: PoolAccount;
  editions: readonly Edition[];
  waiting: WaitingTask[];
  workedMs: number;
}

type WaitingTask = { make: () => Task } & Pick<PromiseWithResolvers<never>, 'resolve' | 'reject'>;

interface WorkerCrew {
  worker: Worker;
  knows: Set<number>;
  /** False until the engine is loaded, for which no owner is charged */
  isReady: boolean;
  busyWith: { task: WaitingTask; lane: LaneState; since: number } | undefined;
  watchdog: NodeJS.Timeout | undefined;
}

export class ScreeningPool {
  /** Number of workers; one per core by default */
  readonly size: number;
  readonly #startWorker: () => Worker;
  readonly #taskMs: number;
  readonly #now: () => number;
  readonly #crews = new Set<WorkerCrew>();
  readonly #accounts = new Map<string, PoolAccount>();
  #sweepAt: number;
  readonly #turns = createTurns<LaneState>();
  #lastKnownAt = Number.NEGATIVE_INFINITY;
  /** Last owner with little work, for anonymous and for known callers */
  readonly #lastLittle = new Map<boolean, { account: PoolAccount; at: number }>();
  #closed = false;
  /** Terminates a stuck worker, which cannot be asked to stop. */
  readonly #giveUp = (crew: WorkerCrew): void => {
    this.#dismiss(crew, { error: 'timeout', errorCode: this.#taskMs });
    void crew.worker.terminate();
  };

  constructor(options: PoolOptions = {}) {
    const { size = availableParallelism(), startWorker = startThread, taskMs = TASK_MS } = options;
    this.size = size;
    this.#startWorker = startWorker;
    this.#taskMs = taskMs;
    this.#now = options.now ?? (() => performance.now());
    this.#sweepAt = this.#now() + SWEEP_MS;
  }

  /** Opens the lane of a call. Its work counts for `owner`. */
  openLane(editions: readonly Edition[], owner: WorkOwner = SERVICE): Lane {
    const account = this.#openAccount(owner);
    const lane: LaneState = { account, editions, waiting: [], workedMs: 0 };
    let isClosed = false;
    const workedMs = () =>
      [...this.#crews].reduce(
        (sum, crew) => sum + (crew.busyWith?.lane === lane ? this.#workedMs(crew, crew.busyWith) : 0),
        lane.workedMs,
      );
    return {
      get workedMs() {
        return workedMs();
      },
      run: (make) =>
        new Promise((resolve, reject) => {
          if (isClosed || this.#closed) return reject(new LaneClosedError());
          lane.waiting.push({ make, resolve, reject });
          if (lane.waiting.length === 1) this.#turns.join(lane);
          this.#dispatch();
        }),
      close: () => {
        if (isClosed) return;
        isClosed = true;
        account.uses -= 1;
        for (const { reject } of lane.waiting.splice(0)) reject(new LaneClosedError());
        this.#turns.leave(lane);
      },
    };
  }

  /** Starts the workers before there is work, because they need a moment to load the engine. */
  warmUp(): void {
    while (!this.#closed && this.#crews.size < this.size) this.#hire();
  }

  forget({ id }: Edition): void {
    for (const crew of this.#crews) {
      if (crew.knows.delete(id)) this.#send(crew, { kind: 'forget', edition: id });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (let lane = this.#turns.next(); lane; lane = this.#turns.next())
      for (const { reject } of lane.waiting.splice(0)) reject(new LaneClosedError());
    await Promise.all([...this.#crews].map(({ worker }) => worker.terminate()));
  }

  #send({ worker }: WorkerCrew, message: WorkerOrder, transfer: ArrayBuffer[] = []): void {
    worker.postMessage(message, transfer);
  }

  #hire(): WorkerCrew {
    const worker = this.#startWorker();
    const crew: WorkerCrew = { worker, knows: new Set(), isReady: false, busyWith: undefined, watchdog: undefined };
    this.#crews.add(crew);
    worker.on('message', (message: WorkerReply) => {
      const task = this.#finish(crew);
      crew.isReady = true;
      if (message.kind === 'done') task?.resolve(message.result as never);
      else task?.reject(new WorkerError(message.failure));
      this.#dispatch();
    });
    worker.on('error', ({ name, code }: NodeJS.ErrnoException) =>
      this.#dismiss(crew, { error: name, errorCode: code }),
    );
    worker.on('exit', (code) => this.#dismiss(crew, { error: 'exit', errorCode: code }));
    return crew;
  }

  #finish(crew: WorkerCrew): WaitingTask | undefined {
    const { busyWith } = crew;
    clearTimeout(crew.watchdog);
    crew.busyWith = undefined;
    if (!busyWith) return undefined;
    const ms = this.#workedMs(crew, busyWith);
    const { account } = busyWith.lane;
    busyWith.lane.workedMs += ms;
    account.recent.add(ms);
    account.uses -= 1;
    if (!account.isStranger) this.#lastKnownAt = this.#now();
    if (account.recent.ms < LITTLE_MS) this.#lastLittle.set(account.isStranger, { account, at: this.#now() });
    return busyWith.task;
  }

  /** Fails only the task of a worker that ended; the other tasks get a new worker. */
  #dismiss(crew: WorkerCrew, failure: Record<string, unknown>): void {
    if (!this.#crews.delete(crew)) return;
    this.#finish(crew)?.reject(this.#closed ? new LaneClosedError() : new WorkerError(failure));
    if (!this.#closed) this.#dispatch();
  }

  #workedMs({ isReady }: WorkerCrew, { since }: { since: number }): number {
    return isReady ? this.#now() - since : 0;
  }

  /**
   * Returns which accounts may have a free thread. Strangers leave one thread to known owners, and an owner with much work leaves
   * the last free one to owners with little. A known owner does so only for known ones.
   */
  #eligibility(): (account: PoolAccount) => boolean {
    const { size } = this;
    if (size === 1) return () => true;
    const busy = [...this.#crews].flatMap(({ busyWith }) => busyWith?.lane.account ?? []);
    const strangers = busy.filter(({ isStranger }) => isStranger).length;
    const strangersWait = strangers >= size - 1 && this.#isRecent(this.#lastKnownAt);
    const isLast = busy.length === size - 1;
    const knownLeaveIt = isLast && this.#hasLittleCome(false);
    const strangersLeaveIt = knownLeaveIt || (isLast && this.#hasLittleCome(true));
    return ({ isStranger, recent }) => {
      if (isStranger && strangersWait) return false;
      return recent.ms < LITTLE_MS || !(isStranger ? strangersLeaveIt : knownLeaveIt);
    };
  }

  #hasLittleCome(isStranger: boolean): boolean {
    const last = this.#lastLittle.get(isStranger);
    return last !== undefined && this.#isRecent(last.at) && last.account.recent.ms < LITTLE_MS;
  }

  #isRecent(at: number): boolean {
    return this.#now() - at <= KEPT_FREE_MS;
  }

  #dispatch(): void {
    while (!this.#turns.isEmpty) {
      const idle =
        [...this.#crews].find(({ busyWith }) => !busyWith) ?? (this.#crews.size < this.size ? this.#hire() : undefined);
      const lane = idle && this.#turns.next(this.#eligibility());
      const next = lane?.waiting.shift();
      if (!idle || !lane) return;
      if (lane.waiting.length > 0) this.#turns.join(lane);
      if (next) this.#begin(idle, lane, next);
    }
  }

  /** Returns the account of an owner. It outlives its calls, because new calls inherit the work of the last minute. */
  #openAccount({ id, isStranger }: WorkOwner): PoolAccount {
    if (this.#now() >= this.#sweepAt) {
      for (const [otherId, { uses, recent }] of this.#accounts)
        if (uses === 0 && recent.ms === 0) this.#accounts.delete(otherId);
      this.#sweepAt = this.#now() + SWEEP_MS;
    }
    const account = this.#accounts.get(id) ?? { isStranger, recent: createRecentWork(this.#now), uses: 0 };
    this.#accounts.set(id, account);
    account.uses += 1;
    return account;
  }

  #begin(crew: WorkerCrew, lane: LaneState, next: WaitingTask): void {
    const { account, editions } = lane;
    account.uses += 1;
    crew.busyWith = { task: next, lane, since: this.#now() };
    crew.watchdog = setTimeout(this.#giveUp, this.#taskMs, crew);
    try {
      for (const { id, index } of editions) {
        if (!crew.knows.has(id)) this.#send(crew, { kind: 'index', edition: { id, index } });
        crew.knows.add(id);
      }
      const task = next.make();
      this.#send(crew, { kind: 'task', task }, 'bytes' in task ? [task.bytes.buffer as ArrayBuffer] : []);
    } catch (error) {
      this.#finish(crew)?.reject(error);
    }
  }
}

/** The work is no longer needed: the client left, or the service stops. */
export class LaneClosedError extends Error {
  override readonly name = 'LaneClosedError';
}

function startThread(): Worker {
  // The environment holds secrets, and a worker needs nothing else of it.
  const options = { name: 'screening', env: nameCompiledCode(), execArgv: [] };
  return new Worker(new URL('./worker.ts', import.meta.url), options);
}

const WINDOW_MS = 60_000;

/** Sums the work of about the last minute. `now` must never jump. */
export function createRecentWork(now: () => number) {
  let window = Math.floor(now() / WINDOW_MS);
  let current = 0;
  let previous = 0;
  function advance(): void {
    const next = Math.floor(now() / WINDOW_MS);
    if (next === window) return;
    previous = next === window + 1 ? current : 0;
    current = 0;
    window = next;
  }
  return {
    add(ms: number): void {
      advance();
      current += ms;
    },
    get ms(): number {
      advance();
      return current + previous * (1 - (now() % WINDOW_MS) / WINDOW_MS);
    },
  };
}

export function createSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort(new LaneClosedError()));
  return gone.signal;
}

export function explainFailure(error: unknown, requestId: string, log: Pick<Logger, 'error'>): never {
  if (error instanceof WorkerError) log.error({ requestId, ...error.failure }, 'a worker failed');
  throw error instanceof LaneClosedError ? givenUp() : error;
}

/** Returns the error for dropped work, which is read only if the service is stopping. */
export function givenUp(): AppError {
  return new AppError('unavailable', 'The service is stopping; try again in a moment.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
