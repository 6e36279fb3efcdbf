// Worker threads that screen pieces of files. Files take turns piece by piece, however many pieces each has.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { nameCompiledCode } from '../../../platform/compiled-code.ts';
import type { Edition, FromWorker, Task, TaskResults, ToWorker } from './worker-messages.ts';

/** The slowest piece takes seconds on a busy machine; what takes longer than this goes round in circles. */
const TASK_MS = 60_000;
/** A lane of which one task took as long is a slow one: whoever comes with a single subject waits behind it. */
const SLOW_TASK_MS = 50;
/** While somebody came with less than that so recently, one worker is kept from slow lanes. */
const QUICK_AROUND_MS = 500;

/** A task did not come back; `failure` may be logged. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly failure: Record<string, unknown>;

  constructor(failure: Record<string, unknown>) {
    super('a screening worker failed');
    this.failure = failure;
  }
}

/** One file's place in the round. */
export interface Lane {
  /** `make` is called when the task's turn comes, so that what waits takes no memory. */
  run<Kind extends Task['kind']>(make: () => Task & { kind: Kind }): Promise<TaskResults[Kind]>;
  /** Drops what has not begun. */
  close(): void;
}

export interface ScreeningPool {
  /** How many pieces can be under way at once. */
  readonly size: number;
  openLane(editions: readonly Edition[]): Lane;
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
  /** In milliseconds, from whenever. */
  now?: (() => number) | undefined;
}

interface Waiting {
  make: () => Task;
  resolve(result: never): void;
  reject(error: unknown): void;
}

interface LaneState {
  editions: readonly Edition[];
  waiting: Waiting[];
  isSlow: boolean;
}

interface Crew {
  worker: Worker;
  knows: Set<number>;
  busyWith: Waiting | undefined;
  lane: LaneState | undefined;
  begunAt: number;
  watchdog: NodeJS.Timeout | undefined;
}

export function createScreeningPool(options: PoolOptions = {}): ScreeningPool {
  const { size = availableParallelism(), startWorker = startThread, taskMs = TASK_MS } = options;
  const { now = () => performance.now() } = options;
  const crews = new Set<Crew>();
  /** Lanes with something waiting, in the order of their turns. */
  const round: LaneState[] = [];
  let closed = false;
  let lastQuickAt = -Infinity;
  let nextLook: NodeJS.Timeout | undefined;

  const send = ({ worker }: Crew, message: ToWorker, transfer: ArrayBuffer[] = []) =>
    worker.postMessage(message, transfer);

  function hire(): Crew {
    const crew: Crew = {
      worker: startWorker(),
      knows: new Set(),
      busyWith: undefined,
      lane: undefined,
      begunAt: 0,
      watchdog: undefined,
    };
    crews.add(crew);
    crew.worker.on('message', (message: FromWorker) => {
      noteSpeed(crew);
      const done = finish(crew);
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
    crew.lane = undefined;
    return busyWith;
  }

  function noteSpeed({ lane, begunAt }: Crew): void {
    if (lane && now() - begunAt >= SLOW_TASK_MS) lane.isSlow = true;
    else if (lane?.isSlow === false) lastQuickAt = now();
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

  /**
   * The next in the round. A slow lane that has all workers would let everybody else wait for one of its tasks each time, and a task
   * cannot be interrupted: while others are around, it may have all but one. Alone, it has them all.
   */
  function takeLane(): LaneState | undefined {
    const withSlow = [...crews].filter(({ lane }) => lane?.isSlow).length;
    const isFull = withSlow > 0 && withSlow >= size - 1 && now() - lastQuickAt < QUICK_AROUND_MS;
    const at = isFull ? round.findIndex(({ isSlow }) => !isSlow) : 0;
    if (at >= 0) return round.splice(at, 1)[0];
    nextLook ??= setTimeout(() => {
      nextLook = undefined;
      dispatch();
    }, QUICK_AROUND_MS);
    return undefined;
  }

  function dispatch(): void {
    while (round.length > 0) {
      const idle = [...crews].find(({ busyWith }) => !busyWith) ?? (crews.size < size ? hire() : undefined);
      const lane = idle && takeLane();
      const next = lane?.waiting.shift();
      if (!idle || !lane) return;
      if (lane.waiting.length > 0) round.push(lane);
      if (next) begin(idle, lane, next);
    }
  }

  function begin(crew: Crew, lane: LaneState, waiting: Waiting): void {
    const { editions } = lane;
    crew.busyWith = waiting;
    crew.lane = lane;
    crew.begunAt = now();
    crew.watchdog = setTimeout(giveUp, taskMs, crew);
    try {
      for (const { id, index } of editions) {
        if (!crew.knows.has(id)) send(crew, { kind: 'index', edition: { id, index } });
        crew.knows.add(id);
      }
      const task = waiting.make();
      send(crew, { kind: 'task', task }, 'bytes' in task ? [task.bytes.buffer as ArrayBuffer] : []);
    } catch (error) {
      finish(crew)?.reject(error);
    }
  }

  return {
    size,

    openLane(editions) {
      const lane: LaneState = { editions, waiting: [], isSlow: false };
      let over = false;
      return {
        run: (make) =>
          new Promise((resolve, reject) => {
            if (over || closed) return reject(new LaneClosed());
            lane.waiting.push({ make, resolve, reject });
            if (lane.waiting.length === 1) round.push(lane);
            dispatch();
          }),
        close() {
          over = true;
          for (const { reject } of lane.waiting.splice(0)) reject(new LaneClosed());
          const turn = round.indexOf(lane);
          if (turn >= 0) round.splice(turn, 1);
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
      clearTimeout(nextLook);
      for (const lane of round.splice(0)) for (const { reject } of lane.waiting.splice(0)) reject(new LaneClosed());
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
  return new Worker(new URL('./screening-worker.ts', import.meta.url), options);
}
