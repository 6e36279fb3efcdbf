// What happened, counted by day and key, for the console's overview: numbers that say nothing about anybody, and so outlive what
// they count. Counted in memory and written together every few seconds: a request waits for none of it, and a process that is killed
// loses the last few seconds of it and nothing else.
import type { Clock } from '../../platform/base/clock.ts';
import type { World } from '../../platform/base/world.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { ActivityStore, CountRow } from './store.ts';

const FLUSH_MS = 5_000;
const DAY_MS = 24 * 60 * 60_000;
/** A year and a little, to compare with the year before. */
export const ACTIVITY_DAYS = 400;
const pruneActivity = defineRecurringJob('activity.prune', DAY_MS);

interface CountedKey {
  apiKeyId: string;
  world: World;
}

interface ActivityOptions {
  store: ActivityStore;
  clock: Clock;
  jobs: Pick<Jobs, 'handle'>;
  /** Told when it could not be written; it is tried again with the next. */
  onProblem(error: unknown): void;
}

export function createActivity({ store, clock, jobs, onProblem }: ActivityOptions) {
  let pending = new Map<string, CountRow>();
  let timer: NodeJS.Timeout | undefined;
  jobs.handle(pruneActivity, () => store.prune(dayOf(clock.now() - ACTIVITY_DAYS * DAY_MS)));

  const activity = {
    /** Of what has been committed. */
    count({ apiKeyId, world }: CountedKey, names: readonly string[]) {
      const day = dayOf(clock.now());
      for (const name of names) add({ day, world, apiKeyId, name, count: 1 });
      timer ??= setTimeout(() => void activity.flush().catch(onProblem), FLUSH_MS).unref();
    },
    /**
     * What was counted from a day on, of one key, of one world or of all, up to the last flush of every process. Of all, the same day
     * and name may come twice: once of each world.
     */
    async since(...wanted: Parameters<ActivityStore['since']>) {
      await activity.flush();
      return store.since(...wanted);
    },
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      const rows = [...pending.values()];
      if (rows.length === 0) return;
      pending = new Map();
      try {
        await store.add(rows);
      } catch (error) {
        for (const row of rows) add(row);
        throw error;
      }
    },
    close: () => activity.flush().catch(onProblem),
  };
  return activity;

  function add(row: CountRow): void {
    const key = `${row.day} ${row.apiKeyId} ${row.name}`;
    const known = pending.get(key);
    pending.set(key, known ? { ...known, count: known.count + row.count } : row);
  }
}

export type Activity = ReturnType<typeof createActivity>;

/** Returns the first moment of a span of whole days (UTC) that ends with today. */
export function startOfDays(now: number, days: number): number {
  return (Math.floor(now / DAY_MS) - days + 1) * DAY_MS;
}

/** In UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
