// The SQL of what is counted.
import type { Database } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';

export type CountRow = Schema['activity_counts'];

/** Of several keys together. */
export type TotalRow = Omit<CountRow, 'api_key_id'>;

export interface ActivityStore {
  /** On top of what is there. */
  add(rows: readonly CountRow[]): Promise<void>;
  /** Of these keys; of all unless given. */
  since(day: string, apiKeyIds?: readonly string[]): Promise<TotalRow[]>;
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
    async since(day, apiKeyIds) {
      if (apiKeyIds?.length === 0) return [];
      let query = queries
        .selectFrom('activity_counts')
        .select(['day', 'name', ({ fn }) => fn.sum<number | string>('count').as('count')])
        .where('day', '>=', day);
      if (apiKeyIds) query = query.where('api_key_id', 'in', [...apiKeyIds]);
      const rows = await query.groupBy(['day', 'name']).execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
    async prune(day) {
      await queries.deleteFrom('activity_counts').where('day', '<', day).execute();
    },
  };
}

function keyOf({ day, api_key_id, name }: CountRow): string {
  return `${day} ${api_key_id} ${name}`;
}
