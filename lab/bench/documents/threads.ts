// Hands the jobs of eval:documents to threads, each of which has its own models, and collects what comes back.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, Job } from './thread.ts';

/** The results are in the order of the jobs. */
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
