// Worker threads that screen pieces of files and some subjects at a time, in the order that turns.ts decides.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { nameCompiledCode } from '../../platform/base/compiled-code.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { Edition, FromWorker, Task, TaskResults, ToWorker } from './messages.ts';
import { createTurns, LITTLE_MS } from './turns.ts';

/** The slowest piece takes seconds on a busy machine; what takes longer than this goes round in circles. */
const TASK_MS = 60_000;

/** A task did not come back; `failure` may be logged. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly failure: Record<string, unknown>;

  constructor(failure: Record<string, unknown>) {
    super('a screening worker failed');
    this.failure = failure;
  }
}

/** Owner of the service's own work, such as re-screening. */
export const SERVICE: WorkOwner = { id: 'service', isStranger: false };

/** One call's place in the round. */
export interface Lane {
  /** What its tasks have taken so far of all threads together. */
  readonly workedMs: number;
  /** `make` is called when the task's turn comes, so that what waits takes no memory. */
  run<Kind extends Task['kind']>(make: () => Task & { kind: Kind }): Promise<TaskResults[Kind]>;
  /** Drops what has not begun. */
  close(): void;
}

export interface ScreeningPool {
  /** How many pieces can be under way at once. */
  readonly size: number;
  /** `owner` is who the work counts for: a customer, an operator, a client address or the service itself. */
  openLane(editions: readonly Edition[], owner?: WorkOwner): Lane;
  /** Starts the workers before there is work: a thread needs a moment to load the engine. */
  warmUp(): void;
  /** Releases an index that no lane uses any longer. */
  forget(edition: Edition): void;
  close(): Promise<void>;
}

interface PoolOptions {
  /** One per core unless told otherwise. */
  size?: number | undefined;
  startWorker?: (() => Worker) | undefined;
  /** How long one task may take before its worker is given up. */
  taskMs?: number | undefined;
  /** Milliseconds on a clock that never jumps. */
  now?: (() => number) | undefined;
}

interface Account {
  isStranger: boolean;
  recent: RecentWork;
  /** Number of open lanes and running tasks. */
  uses: number;
}

/** While known owners or owners with little work come, the last free thread is kept for them: a task of the others takes a while. */
const KEPT_FREE_MS = 10_000;

/** Time between two searches for accounts that are no longer needed. */
const SWEEP_MS = 60_000;

interface Waiting {
  make: () => Task;
  resolve(result: never): void;
  reject(error: unknown): void;
}

interface LaneState {
  account: Account;
  editions: readonly Edition[];
  waiting: Waiting[];
  workedMs: number;
}

interface Crew {
  worker: Worker;
  knows: Set<number>;
  /** Whether it has loaded the engine, which is nobody's work. */
  isReady: boolean;
  busyWith: { task: Waiting; lane: LaneState; since: number } | undefined;
  watchdog: NodeJS.Timeout | undefined;
}

export function createScreeningPool(options: PoolOptions = {}): ScreeningPool {
  const { size = availableParallelism(), startWorker = startThread, taskMs = TASK_MS } = options;
  const { now = () => performance.now() } = options;
  const crews = new Set<Crew>();
  const accounts = new Map<string, Account>();
  let sweepAt = now() + SWEEP_MS;
  /** Lanes with something waiting. */
  const turns = createTurns<LaneState>();
  let lastKnownAt = Number.NEGATIVE_INFINITY;
  /** The last owner with little work, of strangers and of the others. */
  const lastLittle = new Map<boolean, { account: Account; at: number }>();
  let closed = false;

  const send = ({ worker }: Crew, message: ToWorker, transfer: ArrayBuffer[] = []) =>
    worker.postMessage(message, transfer);

  function hire(): Crew {
    const crew: Crew = {
      worker: startWorker(),
      knows: new Set(),
      isReady: false,
      busyWith: undefined,
      watchdog: undefined,
    };
    crews.add(crew);
    crew.worker.on('message', (message: FromWorker) => {
      const done = finish(crew);
      crew.isReady = true;
      if (message.kind === 'done') done?.resolve(message.result as never);
      else done?.reject(new WorkerFailure(message.failure));
      dispatch();
    });
    crew.worker.on('error', (error) =>
      dismiss(crew, { error: error.name, errorCode: (error as { code?: string }).code }),
    );
    crew.worker.on('exit', (code) => dismiss(crew, { error: 'exit', errorCode: code }));
    return crew;
  }

  /** Takes the finished task off the worker, however it ended. */
  function finish(crew: Crew): Waiting | undefined {
    const { busyWith } = crew;
    clearTimeout(crew.watchdog);
    crew.busyWith = undefined;
    if (busyWith) {
      const ms = workedMs(crew, busyWith);
      const { account } = busyWith.lane;
      busyWith.lane.workedMs += ms;
      account.recent.add(ms);
      account.uses -= 1;
      if (!account.isStranger) lastKnownAt = now();
      if (account.recent.ms < LITTLE_MS) lastLittle.set(account.isStranger, { account, at: now() });
    }
    return busyWith?.task;
  }

  /** Takes down the file whose piece the worker held, and nothing else: the others get a new worker. */
  function dismiss(crew: Crew, failure: Record<string, unknown>): void {
    if (!crews.delete(crew)) return;
    finish(crew)?.reject(closed ? new LaneClosed() : new WorkerFailure(failure));
    if (!closed) dispatch();
  }

  /** An endless loop cannot be asked to stop, only ended from outside. */
  function giveUp(crew: Crew): void {
    dismiss(crew, { error: 'timeout', errorCode: taskMs });
    void crew.worker.terminate();
  }

  function workedMs({ isReady }: Crew, { since }: { since: number }): number {
    return isReady ? now() - since : 0;
  }

  /**
   * The accounts that may have a free thread: strangers leave one thread to known owners, and an owner with much work leaves the
   * last free one to owners with little. A known owner does so for known ones only.
   */
  function findWhoMayBegin(): (account: Account) => boolean {
    if (size === 1) return () => true;
    const busy = [...crews].flatMap(({ busyWith }) => busyWith?.lane.account ?? []);
    const strangers = busy.filter(({ isStranger }) => isStranger).length;
    const strangersWait = strangers >= size - 1 && isRecent(lastKnownAt);
    const isLast = busy.length === size - 1;
    const knownLeaveIt = isLast && hasLittleCome(false);
    const strangersLeaveIt = knownLeaveIt || (isLast && hasLittleCome(true));
    return ({ isStranger, recent }) => {
      if (isStranger && strangersWait) return false;
      return recent.ms < LITTLE_MS || !(isStranger ? strangersLeaveIt : knownLeaveIt);
    };
  }

  function hasLittleCome(isStranger: boolean): boolean {
    const last = lastLittle.get(isStranger);
    return last !== undefined && isRecent(last.at) && last.account.recent.ms < LITTLE_MS;
  }

  function isRecent(at: number): boolean {
    return now() - at <= KEPT_FREE_MS;
  }

  function dispatch(): void {
    while (!turns.isEmpty) {
      const idle = [...crews].find(({ busyWith }) => !busyWith) ?? (crews.size < size ? hire() : undefined);
      const lane = idle && turns.next(findWhoMayBegin());
      const next = lane?.waiting.shift();
      if (!idle || !lane) return;
      if (lane.waiting.length > 0) turns.join(lane);
      if (next) begin(idle, lane, next);
    }
  }

  /** A new call inherits what its owner had in the last minute, so an account outlives its calls. */
  function openAccount({ id, isStranger }: WorkOwner): Account {
    if (now() >= sweepAt) {
      for (const [other, { uses, recent }] of accounts) if (uses === 0 && recent.ms === 0) accounts.delete(other);
      sweepAt = now() + SWEEP_MS;
    }
    const account = accounts.get(id) ?? { isStranger, recent: createRecentWork(now), uses: 0 };
    accounts.set(id, account);
    account.uses += 1;
    return account;
  }

  function begin(crew: Crew, lane: LaneState, next: Waiting): void {
    const { account, editions } = lane;
    account.uses += 1;
    crew.busyWith = { task: next, lane, since: now() };
    crew.watchdog = setTimeout(giveUp, taskMs, crew);
    try {
      for (const { id, index } of editions) {
        if (!crew.knows.has(id)) send(crew, { kind: 'index', edition: { id, index } });
        crew.knows.add(id);
      }
      const task = next.make();
      send(crew, { kind: 'task', task }, 'bytes' in task ? [task.bytes.buffer as ArrayBuffer] : []);
    } catch (error) {
      finish(crew)?.reject(error);
    }
  }

  return {
    size,

    openLane(editions, owner = SERVICE) {
      const account = openAccount(owner);
      const lane: LaneState = { account, editions, waiting: [], workedMs: 0 };
      let over = false;
      return {
        get workedMs() {
          const underWay = [...crews].map((crew) => (crew.busyWith?.lane === lane ? workedMs(crew, crew.busyWith) : 0));
          return underWay.reduce((sum, ms) => sum + ms, lane.workedMs);
        },
        run: (make) =>
          new Promise((resolve, reject) => {
            if (over || closed) return reject(new LaneClosed());
            lane.waiting.push({ make, resolve, reject });
            if (lane.waiting.length === 1) turns.join(lane);
            dispatch();
          }),
        close() {
          if (over) return;
          over = true;
          account.uses -= 1;
          for (const { reject } of lane.waiting.splice(0)) reject(new LaneClosed());
          turns.leave(lane);
        },
      };
    },

    warmUp() {
      while (!closed && crews.size < size) hire();
    },

    forget({ id }) {
      for (const crew of crews) {
        if (crew.knows.delete(id)) send(crew, { kind: 'forget', edition: id });
      }
    },

    async close() {
      closed = true;
      for (let lane = turns.next(); lane; lane = turns.next())
        for (const { reject } of lane.waiting.splice(0)) reject(new LaneClosed());
      await Promise.all([...crews].map(({ worker }) => worker.terminate()));
    },
  };
}

/** The file is no longer wanted: its client left, or the service stops. */
export class LaneClosed extends Error {
  override readonly name = 'LaneClosed';
}

function startThread(): Worker {
  // Nothing else of the environment: there are secrets in it, and a worker needs none of it.
  const options = { name: 'screening', env: nameCompiledCode(), execArgv: [] };
  return new Worker(new URL('./worker.ts', import.meta.url), options);
}

interface RecentWork {
  add(ms: number): void;
  readonly ms: number;
}

const WINDOW_MS = 60_000;

/** `now` must never jump. */
export function createRecentWork(now: () => number = () => performance.now()): RecentWork {
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
    add(ms) {
      advance();
      current += ms;
    },
    get ms() {
      advance();
      return current + previous * (1 - (now() % WINDOW_MS) / WINDOW_MS);
    },
  };
}

export function explainFailure(error: unknown, requestId: string, log: Pick<Logger, 'error'>): never {
  if (error instanceof WorkerFailure) log.error({ requestId, ...error.failure }, 'a worker failed');
  throw error instanceof LaneClosed ? givenUp() : error;
}

/** Read by nobody when the client has left; otherwise it is the service that stops. */
export function givenUp(): AppError {
  return new AppError('unavailable', 'The service is stopping; try again in a moment.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
