// The time of the last heartbeat of a service with a right clock, and the clock of the database server.
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from './database.ts';

type Queried = Pick<Database, 'engine' | 'queries'>;

/** Returns undefined if no service has run yet. */
export async function readHeartbeat({ queries }: Queried): Promise<number | undefined> {
  return (await queries.selectFrom('clock').select('seen_at').executeTakeFirst())?.seen_at;
}

export async function writeHeartbeat({ queries }: Queried, seen_at: number): Promise<void> {
  await queries
    .insertInto('clock')
    .values({ id: 1, seen_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at }))
    .execute();
}

/** Returns undefined on SQLite, which has no clock of its own. The round trip bounds the error. */
export async function measureServerClock(
  { engine, queries }: Queried,
  clock: Clock,
): Promise<{ aheadMs: number; roundTripMs: number } | undefined> {
  if (engine === 'sqlite') return undefined;
  const before = clock.now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  `.execute(queries);
  const after = clock.now();
  return { aheadMs: rows[0]!.now - (before + after) / 2, roundTripMs: after - before };
}
