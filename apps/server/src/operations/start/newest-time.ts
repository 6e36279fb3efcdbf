// Finds the newest time in the database. The clock of a service without a heartbeat must not be behind it.
import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { hasTable } from '../../platform/database/migrate.ts';

/** Cheap queries, on tables that a start does not change before its first heartbeat */
const NEWEST_TIMES = {
  api_keys: sql<NewestTime>`select max(last_updated) as at from api_keys`,
  jobs: sql<NewestTime>`select max(created_at) as at from jobs`,
  sessions: sql<NewestTime>`
    select max(at) as at from (
      select max(created_at) as at from sessions where world = 'live'
      union all select max(created_at) as at from sessions where world = 'test'
    ) as newest
  `,
  strings: sql<NewestTime>`select created_at as at from strings where owner = '' order by id desc limit 1`,
};

interface NewestTime {
  at: number | null;
}

export async function findNewestTime(database: Pick<Database, 'engine' | 'queries'>): Promise<number | undefined> {
  const times: number[] = [];
  for (const [table, query] of Object.entries(NEWEST_TIMES)) {
    if (!(await hasTable(database, table))) continue;
    const at = (await query.execute(database.queries)).rows[0]?.at;
    if (typeof at === 'number') times.push(at);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}
