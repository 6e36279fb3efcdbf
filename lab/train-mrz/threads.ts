// Training threads. Gradients are summed in a fixed order, so that a seed gives one result.
import { Worker } from 'node:worker_threads';
import { PARAMETERS } from './network.ts';
import type { ThreadData, ThreadResult, ThreadTask } from './train-thread.ts';

/** Another number changes the summation order, and thus the model. */
const THREADS = 2;

export interface Threads {
  /** Sum over the last batch. */
  readonly gradient: Float32Array;
  run(from: number, count: number): Promise<ThreadResult>;
  end(): Promise<void>;
}

export function startThreads(options: Omit<ThreadData, 'gradient'>): Threads {
  const gradient = new Float32Array(PARAMETERS);
  const parts = Array.from({ length: THREADS }, () => {
    const own = new Float32Array(new SharedArrayBuffer(PARAMETERS * 4));
    const workerData: ThreadData = { ...options, gradient: own };
    return { own, worker: new Worker(new URL('./train-thread.ts', import.meta.url), { workerData }) };
  });
  return {
    gradient,
    async run(from, count) {
      const share = count / THREADS;
      const results = await Promise.all(
        parts.map(({ worker }, index) => {
          const task: ThreadTask = {
            from: from + Math.round(index * share),
            to: from + Math.round((index + 1) * share),
          };
          return ask(worker, task);
        }),
      );
      gradient.fill(0);
      for (const { own } of parts) for (let index = 0; index < PARAMETERS; index += 1) gradient[index]! += own[index]!;
      return results.reduce((sum, { loss, columns, right }) => ({
        loss: sum.loss + loss,
        columns: sum.columns + columns,
        right: sum.right + right,
      }));
    },
    async end() {
      await Promise.all(parts.map(({ worker }) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, task: ThreadTask): Promise<ThreadResult> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (result: ThreadResult) => {
      worker.off('error', reject);
      resolve(result);
    });
    worker.postMessage(task);
  });
}
