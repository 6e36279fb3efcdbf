// Distributes jobs of eval:documents to threads with their own models, and collects the results.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, Job } from './thread.ts';

/** Results are in job order. */
export async function runJobs(jobs: readonly Job[], onDone: (done: number) => void): Promise<Done[]> {
  const results: Done[] = [];
  let [next, done] = [0, 0];
  const threads = Array.from({ length: Math.min(availableParallelism(), jobs.length, 2) }, async () => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url));
    try {
      for (let index = next++; index < jobs.length; index = next++) {
        results[index] = await ask(worker, jobs[index]!);
        onDone(++done);
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(threads);
  return results;
}

function ask(worker: Worker, job: Job): Promise<Done> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (result: Done) => {
      worker.off('error', reject);
      resolve(result);
    });
    worker.postMessage(job);
  });
}
