// Counts events by day and key, for the console's overview. The counts identify no one, so they outlive the records. Events are counted in
// memory and written together every few seconds, so no request waits. A killed process loses only its latest counts.

import { sql } from 'kysely';
import type { World } from '../platform/base/world.ts';
import type { Core } from '../platform/core.ts';
import type { Database } from '../platform/database/database.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { formatDay } from '../platform/sealing/hash-chain.ts';
import { ACTIVITY_DAYS } from './limits.ts';

const FLUSH_MS = 5_000;
const DAY_MS = 24 * 60 * 60_000;
const pruneActivity = defineRecurringJob('activity.prune', DAY_MS);

/** `onProblem` is called when counts could not be written. The next flush retries them. */
export function createActivity(
  store: ActivityStore,
  { clock, jobs }: Pick<Core, 'clock' | 'jobs'>,
  onProblem: (error: unknown) => void,
) {
  let pending = new Map<string, ActivityRow>();
  let timer: NodeJS.Timeout | undefined;
  jobs.handle(pruneActivity, () => store.prune(formatDay(clock.now() - ACTIVITY_DAYS * DAY_MS)));

  const activity = {
    /** Counts events of a key. Call only after the transaction has committed. */
    count({ apiKeyId, world }: Pick<ActivityRow, 'apiKeyId' | 'world'>, names: readonly string[]) {
      const day = formatDay(clock.now());
      for (const name of names) add({ day, world, apiKeyId, name, count: 1 });
      timer ??= setTimeout(() => void activity.flush().catch(onProblem), FLUSH_MS).unref();
    },
    /** Returns the flushed counts for one key, one world or all worlds. For all worlds, a day and name may occur once per world. */
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

  function add(row: ActivityRow): void {
    addTo(pending, `${row.day} ${row.apiKeyId} ${row.name}`, row);
  }
}

export type Activity = ReturnType<typeof createActivity>;

/** Returns the start of a span of whole days (UTC) that ends with today. */
export function startOfDays(now: number, days: number): number {
  return (Math.floor(now / DAY_MS) - days + 1) * DAY_MS;
}

export interface ActivityRow {
  day: string;
  world: World;
  apiKeyId: string;
  name: string;
  count: number;
}

export type TotalRow = Pick<ActivityRow, 'day' | 'name' | 'count'>;

type ActivityCounts = Record<string, number>;

export type ActivityStore = ReturnType<typeof createActivityStore>;

export function createActivityStore({ queries, transact, engine }: Pick<Database, 'queries' | 'transact' | 'engine'>) {
  // A day is one row of JSON, because thousands of small rows take longer to return than to find.
  const together =
    engine === 'sqlite'
      ? sql<string | ActivityCounts>`json_group_object(name, count)`
      : sql<ActivityCounts>`json_object_agg(name, count)`;
  return {
    async add(rows: readonly ActivityRow[]) {
      const counts = new Map<string, ActivityRow>();
      const totals = new Map<string, ActivityRow>();
      for (const row of rows) {
        addTo(counts, `${row.day} ${row.apiKeyId} ${row.name}`, row);
        addTo(totals, `${row.day} ${row.world} ${row.name}`, row);
      }
      await transact(async (trx) => {
        for (const { day, apiKeyId, name, count } of inOrder(counts)) {
          await trx
            .insertInto('activity_counts')
            .values({ day, api_key_id: apiKeyId, name, count })
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'api_key_id', 'name'])
                .doUpdateSet(({ eb, ref }) => ({ count: eb(ref('activity_counts.count'), '+', count) })),
            )
            .execute();
        }
        // Stored separately, so that a year of any number of keys is one read.
        for (const { day, world, name, count } of inOrder(totals)) {
          await trx
            .insertInto('activity_totals')
            .values({ day, world, name, count })
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'world', 'name'])
                .doUpdateSet(({ eb, ref }) => ({ count: eb(ref('activity_totals.count'), '+', count) })),
            )
            .execute();
        }
      });
    },
    async since(day: string, of?: { apiKeyId: string } | { world: World }) {
      if (of && 'apiKeyId' in of) {
        const ofKey = queries.selectFrom('activity_counts').select(['day', together.as('counts')]);
        return open(await ofKey.where('api_key_id', '=', of.apiKeyId).where('day', '>=', day).groupBy('day').execute());
      }
      const totals = queries
        .selectFrom('activity_totals')
        .select(['day', together.as('counts')])
        .where('day', '>=', day);
      const wanted = of ? totals.where('world', '=', of.world) : totals;
      return open(await wanted.groupBy(['day', 'world']).execute());
    },
    async prune(day: string) {
      await transact(async (trx) => {
        await trx.deleteFrom('activity_counts').where('day', '<', day).execute();
        await trx.deleteFrom('activity_totals').where('day', '<', day).execute();
      });
    },
  };
}

function open(days: readonly { day: string; counts: string | ActivityCounts }[]): TotalRow[] {
  return days.flatMap(({ day, counts }) => {
    const opened = typeof counts === 'string' ? (JSON.parse(counts) as ActivityCounts) : counts;
    return Object.entries(opened).map(([name, count]) => ({ day, name, count }));
  });
}

function addTo(counts: Map<string, ActivityRow>, key: string, row: ActivityRow): void {
  counts.set(key, { ...row, count: row.count + (counts.get(key)?.count ?? 0) });
}

/** Sorts rows by key, so that processes that write the same rows cannot deadlock. */
function inOrder(counts: ReadonlyMap<string, ActivityRow>): ActivityRow[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
