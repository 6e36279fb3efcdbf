// Does something every so many hours for as long as the process runs. What it keeps is in DATA_DIR, which belongs to one
// machine, so this is a timer of the process and not a job of the database that several machines share.
import { setTimeout as sleepUntil } from 'node:timers/promises';

const HOUR_MS = 3_600_000;
/** After a failure the other side is asked again sooner than usual, but not at once. */
const RETRY_MS = HOUR_MS / 2;
/** Many servers start at the same full minute; whom they ask should not notice. */
const FIRST_MS = 60_000;
const LONGEST_TIMER_MS = 24 * HOUR_MS;

export interface RefreshTuning {
  /** From 0 to 1. */
  random?: () => number;
  /** Rejects when the signal ends it. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface Refreshing {
  /** Ends a refresh that is under way; what was there stays. */
  stop(): Promise<void>;
}

/** `refresh` resolves with whether all went well. 0 hours: never. */
export function startRefreshing(
  hours: number,
  refresh: (signal: AbortSignal) => Promise<boolean>,
  { random = Math.random, sleep = sleepQuietly }: RefreshTuning = {},
): Refreshing {
  const ended = new AbortController();
  const { signal } = ended;

  async function run(): Promise<void> {
    let delay = FIRST_MS * (0.5 + random());
    for (;;) {
      await sleep(delay, signal);
      const allWell = await refresh(signal);
      const usual = hours * HOUR_MS;
      delay = (allWell ? usual : Math.min(usual, RETRY_MS)) * (0.95 + 0.1 * random());
    }
  }

  const running = hours === 0 ? Promise.resolve() : run().catch((error) => refuseToEnd(error, signal));
  return {
    async stop() {
      ended.abort();
      await running;
    },
  };
}

/** Whether something that was last asked for at `checkedAt` is to be asked for: a server that is started again and again does not ask again and again. */
export function isDue(checkedAt: string, hours: number, now: number): boolean {
  const then = Date.parse(checkedAt);
  // A clock that was ahead must not put refreshes off until it is right again.
  return then > now || then + 0.9 * hours * HOUR_MS <= now;
}

/** In steps: a timer of more than 24 days would fire at once. */
async function sleepQuietly(milliseconds: number, signal: AbortSignal): Promise<void> {
  for (let left = milliseconds; left > 0; left -= LONGEST_TIMER_MS) {
    await sleepUntil(Math.min(left, LONGEST_TIMER_MS), undefined, { signal, ref: false });
  }
}

/** Only the stop ends the loop. */
function refuseToEnd(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) throw error;
}
