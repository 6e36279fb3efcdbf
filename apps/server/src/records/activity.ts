// Event counts by day and key, for the console's overview. The numbers identify no one, so they
// outlive the records that they count. Events are counted in memory and written together every few
// seconds. No request waits for the write. A killed process loses only its latest counts.

import { sql } from 'kysely';
import type { World } from '../platform/base/world.ts';
import type { Core } from '../platform/core.ts';
import type { Database } from '../platform/database/database.ts';
import type { Schema } from '../platform/database/schema.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import { dayOf } from '../platform/sealing/hash-chain.ts';
import { ACTIVITY_DAYS } from './limits.ts';

const FLUSH_MS = 5_000;
const DAY_MS = 24 * 60 * 60_000;
const pruneActivity = defineRecurringJob('activity.prune', DAY_MS);

interface CountedKey {
  apiKeyId: string;
  world: World;
}

interface ActivityParts extends Pick<Core, 'clock'> {
  store: ActivityStore;
  jobs: Pick<Jobs, 'handle'>;
  /** Called when counts could not be written. The next flush retries them. */
  onProblem(error: unknown): void;
}

export function createActivity({ store, clock, jobs, onProblem }: ActivityParts) {
  let pending = new Map<string, CountRow>();
  let timer: NodeJS.Timeout | undefined;
  jobs.handle(pruneActivity, () => store.prune(dayOf(clock.now() - ACTIVITY_DAYS * DAY_MS)));

  const activity = {
    /** Counts events of a key. Call only after the transaction has committed. */
    count({ apiKeyId, world }: CountedKey, names: readonly string[]) {
      const day = dayOf(clock.now());
      for (const name of names) add({ day, world, apiKeyId, name, count: 1 });
      timer ??= setTimeout(() => void activity.flush().catch(onProblem), FLUSH_MS).unref();
    },
    /**
     * Returns the counts since a day for one key, one world or all worlds, up to the last flush of
     * every process. For all worlds, a day and name may occur twice: once per world.
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

export interface CountRow {
  /** `2026-03-01`, in UTC. */
  day: string;
  world: World;
  apiKeyId: string;
  name: string;
  count: number;
}

export type TotalRow = Pick<CountRow, 'day' | 'name' | 'count'>;

type CountsByName = Record<string, number>;

export function createActivityStore({ queries, transact, engine }: Pick<Database, 'queries' | 'transact' | 'engine'>) {
  // A day comes as one row: thousands of rows of three values each take longer to hand over than to find.
  const together =
    engine === 'sqlite'
      ? sql<string | CountsByName>`json_group_object(name, count)`
      : sql<CountsByName>`json_object_agg(name, count)`;
  return {
    async add(rows: readonly CountRow[]) {
      const counts = rows.map(({ day, apiKeyId, name, count }) => ({ day, api_key_id: apiKeyId, name, count }));
      await transact(async (trx) => {
        for (const row of inOrder(counts)) {
          await trx
            .insertInto('activity_counts')
            .values(row)
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'api_key_id', 'name'])
                .doUpdateSet(({ eb, ref }) => ({ count: eb(ref('activity_counts.count'), '+', row.count) })),
            )
            .execute();
        }
        // Kept beside them, so that a year of any number of keys is read at once.
        for (const row of inOrder(totalsOf(rows))) {
          await trx
            .insertInto('activity_totals')
            .values(row)
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'world', 'name'])
                .doUpdateSet(({ eb, ref }) => ({ count: eb(ref('activity_totals.count'), '+', row.count) })),
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

export type ActivityStore = ReturnType<typeof createActivityStore>;

function open(days: readonly { day: string; counts: string | CountsByName }[]): TotalRow[] {
  return days.flatMap(({ day, counts }) => {
    const opened = typeof counts === 'string' ? (JSON.parse(counts) as CountsByName) : counts;
    return Object.entries(opened).map(([name, count]) => ({ day, name, count }));
  });
}

function totalsOf(rows: readonly CountRow[]): Schema['activity_totals'][] {
  const totals = new Map<string, Schema['activity_totals']>();
  for (const { day, world, name, count } of rows) {
    const key = `${day} ${world} ${name}`;
    totals.set(key, { day, world, name, count: count + (totals.get(key)?.count ?? 0) });
  }
  return [...totals.values()];
}

/** Sorts rows into one order, so that processes that write the same rows cannot deadlock. */
function inOrder<Row extends { day: string; name: string; api_key_id?: string; world?: World }>(
  rows: readonly Row[],
): Row[] {
  const keyOf = ({ day, name, api_key_id, world }: Row) => `${day} ${api_key_id ?? world} ${name}`;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
