// Leaves a worker for good that says nothing for too long. Counted in seconds that passed: a device that slept is not to blame.
import type { After } from '../loading/start-timer.ts';
import type { WorkerLine } from './call-worker.ts';

/** While a worker brings models it opens one after the other, and others wait for their turn: seconds on a slow device. */
const TIMES_LONGER_WHILE_LOADING = 6;

export interface SilenceLimit {
  /** Whatever the worker makes progress with counts: a load that came later waits for those before it. */
  within<Reply>(line: WorkerLine, seconds: number, reply: Promise<Reply>): Promise<Reply>;
  /** The same for a load, beside which everything that is asked of the worker has longer. */
  withinLoad<Reply>(line: WorkerLine, seconds: number, reply: Promise<Reply>): Promise<Reply>;
}

export function limitSilence(after: After): SilenceLimit {
  /** How many loads each of them is at. */
  const loading = new Map<WorkerLine, number>();

  async function within<Reply>(line: WorkerLine, seconds: number, reply: Promise<Reply>): Promise<Reply> {
    let left = seconds;
    let progress = line.progress();
    let stop = after(1_000, tick);
    function tick() {
      if (progress !== line.progress()) left = seconds;
      progress = line.progress();
      left -= loading.has(line) ? 1 / TIMES_LONGER_WHILE_LOADING : 1;
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

  function countLoads(line: WorkerLine, more: 1 | -1): void {
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
