// Repeats work every few hours while the process runs. Its results are in DATA_DIR, which belongs to one machine, so it is a timer of the
// process and not a job of the database.
import { setTimeout as sleepUntil } from 'node:timers/promises';

const HOUR_MS = 3_600_000;
const RETRY_MS = HOUR_MS / 2;
/** Average wait before the first run, so that servers that start together do not call at the same moment. */
const FIRST_MS = 60_000;
const LONGEST_TIMER_MS = 24 * HOUR_MS;

export interface RefreshTuning {
  random?: () => number;
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export type Refreshing = ReturnType<typeof startRefreshing>;

/** `refresh` resolves with whether it succeeded. 0 hours: never. */
export function startRefreshing(
  hours: number,
  refresh: (signal: AbortSignal) => Promise<boolean>,
  { random = Math.random, sleep = sleepInSteps }: RefreshTuning = {},
) {
  const ended = new AbortController();
  const { signal } = ended;

  async function run(): Promise<void> {
    let delay = FIRST_MS * (0.5 + random());
    for (;;) {
      await sleep(delay, signal);
      const usual = hours * HOUR_MS;
      const succeeded = await refresh(signal);
      delay = (succeeded ? usual : Math.min(usual, RETRY_MS)) * (0.95 + 0.1 * random());
    }
  }

  const running = hours === 0 ? undefined : run().catch(throwUnlessStopped);
  return {
    async stop(): Promise<void> {
      ended.abort();
      await running;
    },
  };

  function throwUnlessStopped(error: unknown): void {
    if (!signal.aborted) throw error;
  }
}

/** Whether the last check is long enough ago, so that a server that restarts often does not check at each start. */
export function isDue(checkedAt: string, hours: number, now: number): boolean {
  const then = Date.parse(checkedAt);
  // A time in the future comes from a fast clock and must not delay checks.
  return then > now || then + 0.9 * hours * HOUR_MS <= now;
}

/** Sleeps in steps, because a timer of more than 24 days would fire at once. */
async function sleepInSteps(milliseconds: number, signal: AbortSignal): Promise<void> {
  for (let left = milliseconds; left > 0; left -= LONGEST_TIMER_MS) {
    await sleepUntil(Math.min(left, LONGEST_TIMER_MS), undefined, { signal, ref: false });
  }
}
