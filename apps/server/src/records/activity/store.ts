// The SQL of what is counted.
import { sql } from 'kysely';
import type { World } from '../../platform/base/world.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';

export interface CountRow {
  /** `2026-03-01`, in UTC. */
  day: string;
  world: World;
  apiKeyId: string;
  name: string;
  count: number;
}

export type TotalRow = Pick<CountRow, 'day' | 'name' | 'count'>;

export type CountedOf = { apiKeyId: string } | { world: World };

type Counts = Record<string, number>;

export function createActivityStore({ queries, transact, engine }: Pick<Database, 'queries' | 'transact' | 'engine'>) {
  // A day comes as one row: thousands of rows of three values each take longer to hand over than to find.
  const together =
    engine === 'sqlite'
      ? sql<string | Counts>`json_group_object(name, count)`
      : sql<Counts>`json_object_agg(name, count)`;
  return {
    /** On top of what is there. */
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
    async since(day: string, of?: CountedOf) {
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
    /** Deletes days before this one. */
    async prune(day: string) {
      await transact(async (trx) => {
        await trx.deleteFrom('activity_counts').where('day', '<', day).execute();
        await trx.deleteFrom('activity_totals').where('day', '<', day).execute();
      });
    },
  };
}

export type ActivityStore = ReturnType<typeof createActivityStore>;

function open(days: readonly { day: string; counts: string | Counts }[]): TotalRow[] {
  return days.flatMap(({ day, counts }) => {
    const opened = typeof counts === 'string' ? (JSON.parse(counts) as Counts) : counts;
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

/** One order for all, so that two processes that write the same rows do not wait for each other for ever. */
function inOrder<Row extends { day: string; name: string; api_key_id?: string; world?: World }>(
  rows: readonly Row[],
): Row[] {
  const keyOf = ({ day, name, api_key_id, world }: Row) => `${day} ${api_key_id ?? world} ${name}`;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
