// Threads that compute rows and shapes in order of request, across searches.
import { Worker } from 'node:worker_threads';
import type { Order, OrderReply, ThreadSetup, ThreadState } from './compare-thread.ts';
import type { SharedParts } from './token-memory.ts';

export type ThreadPool = ReturnType<typeof createThreadPool>;

interface Task {
  order: Order;
  isWanted(): boolean;
  resolve(): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  task: Task | undefined;
}

export interface ThreadPoolParts {
  parts: SharedParts;
  /** One per possible thread. */
  desks: readonly ThreadState[];
  /** Called for each started thread. */
  onStart?: ((worker: Worker) => void) | undefined;
}

export function createThreadPool({ parts, desks, onStart }: ThreadPoolParts) {
  const freeDesks = [...desks];
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  let isClosed = false;

  function startThread(): Thread {
    const desk = freeDesks.at(-1)!;
    const setup: ThreadSetup = { parts, ...desk };
    // Process options do not apply to threads: some, such as --input-type, would stop them.
    const worker = new Worker(new URL('./compare-thread.ts', import.meta.url), { workerData: setup, execArgv: [] });
    freeDesks.pop();
    const thread: Thread = { worker, task: undefined };
    let cause: unknown;
    worker.on('message', (reply: OrderReply) => finish(thread, reply));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      threads.delete(thread);
      freeDesks.push(desk);
      thread.task?.reject(new Error('A thread of the token evaluator ended. Try again.', { cause }));
      assign();
    });
    // An idle thread does not keep the process alive.
    worker.unref();
    threads.add(thread);
    onStart?.(worker);
    return thread;
  }

  function findIdle(): Thread | undefined {
    for (const thread of threads) if (!thread.task) return thread;
    return freeDesks.length > 0 ? startThread() : undefined;
  }

  function assign(): void {
    while (waiting.length > 0) {
      const task = waiting[0]!;
      let thread: Thread | undefined;
      try {
        if (isClosed) throw new Error('The token evaluator is closed.');
        if (!task.isWanted()) throw new Error('The search has ended.');
        thread = findIdle();
      } catch (error) {
        waiting.shift();
        task.reject(error);
        continue;
      }
      if (!thread) return;
      waiting.shift();
      thread.task = task;
      thread.worker.ref();
      thread.worker.postMessage(task.order);
    }
  }

  function finish(thread: Thread, reply: OrderReply): void {
    const { task } = thread;
    thread.task = undefined;
    thread.worker.unref();
    if (reply.isDone) task?.resolve();
    else task?.reject(reply.error);
    assign();
    // Idle, so the last search's probe is wiped.
    if (!thread.task) thread.worker.postMessage('wipe');
  }

  return {
    /** Rejects if the task is no longer wanted, fails, or its thread ends. */
    make(order: Order, isWanted: () => boolean = () => true): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ order, isWanted, resolve, reject });
      assign();
      return promise;
    },
    async close(): Promise<void> {
      isClosed = true;
      assign();
      await Promise.all(Array.from(threads, ({ worker }) => worker.terminate()));
    },
  };
}
