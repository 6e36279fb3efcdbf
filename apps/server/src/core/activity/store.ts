// The SQL of what is counted.
import type { Database } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';

export type CountRow = Schema['activity_counts'];

export interface ActivityStore {
  /** On top of what is there. */
  add(rows: readonly CountRow[]): Promise<void>;
  since(day: string): Promise<CountRow[]>;
  /** Deletes days before this one. */
  prune(day: string): Promise<void>;
}

export function createActivityStore({ queries, transact }: Pick<Database, 'queries' | 'transact'>): ActivityStore {
  return {
    async add(rows) {
      // In one order, so that two processes that write the same ones do not wait for each other for ever.
      const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      await transact(async (trx) => {
        for (const row of sorted) {
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
      });
    },
    since: (day) => queries.selectFrom('activity_counts').selectAll().where('day', '>=', day).execute(),
    async prune(day) {
      await queries.deleteFrom('activity_counts').where('day', '<', day).execute();
    },
  };
}

function keyOf({ day, api_key_id, name }: CountRow): string {
  return `${day} ${api_key_id} ${name}`;
}
