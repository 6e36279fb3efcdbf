// Ends a worker that is silent for too long. Counts timer ticks, so that sleep does not count.
import type { After } from '../loading/start-timer.ts';
import type { WorkerConnection } from './call-worker.ts';

/** A loading worker opens models one by one, and other calls wait: seconds on a slow device. */
const LOADING_TIME_FACTOR = 6;

export interface SilenceLimit {
  /** Limits the silence before a reply. Any progress of the worker counts. */
  within<Reply>(line: WorkerConnection, seconds: number, reply: Promise<Reply>): Promise<Reply>;
  /** Limits the silence of a load. During a load, all calls to the worker have longer limits. */
  withinLoad<Reply>(line: WorkerConnection, seconds: number, reply: Promise<Reply>): Promise<Reply>;
}

export function limitSilence(after: After): SilenceLimit {
  /** Number of running loads per worker. */
  const loading = new Map<WorkerConnection, number>();

  async function within<Reply>(line: WorkerConnection, seconds: number, reply: Promise<Reply>): Promise<Reply> {
    let left = seconds;
    let progress = line.progress();
    let stop = after(1_000, tick);
    function tick() {
      if (progress !== line.progress()) left = seconds;
      progress = line.progress();
      left -= loading.has(line) ? 1 / LOADING_TIME_FACTOR : 1;
      if (left > 0) {
        stop = after(1_000, tick);
        return;
      }
      line.end(new Error('The face worker does not answer'));
    }
    try {
      return await reply;
    } finally {
      stop();
    }
  }

  function countLoads(line: WorkerConnection, more: 1 | -1): void {
    const count = (loading.get(line) ?? 0) + more;
    if (count > 0) loading.set(line, count);
    else loading.delete(line);
  }

  return {
    within,
    async withinLoad(line, seconds, reply) {
      countLoads(line, 1);
      try {
        return await within(line, seconds, reply);
      } finally {
        countLoads(line, -1);
      }
    },
  };
}
