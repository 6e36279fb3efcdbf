// The time of the last heartbeat of a service with a right clock, and the clock of the database server.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Database } from './database.ts';
import { hasTable } from './migrate.ts';

type Queried = Pick<Database, 'engine' | 'queries'>;

export interface Heartbeat {
  at: number;
  /** Time since then by the count of this machine; undefined if it was another machine, or this one was restarted. */
  passedMs: number | undefined;
}

/** Returns undefined if no service has run yet. */
export async function readHeartbeat({ queries }: Queried): Promise<Heartbeat | undefined> {
  const row = await queries.selectFrom('clock').selectAll().executeTakeFirst();
  if (row === undefined) return undefined;
  const machine = readMachine();
  const isSameStart = row.boot !== null && row.boot === machine.boot;
  return { at: row.seen_at, passedMs: isSameStart ? machine.uptime_ms - row.uptime_ms : undefined };
}

export async function writeHeartbeat({ queries }: Queried, seen_at: number): Promise<void> {
  const row = { seen_at, ...readMachine() };
  await queries
    .insertInto('clock')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** The time since the start of a machine cannot be set. Only Linux names the start. */
function readMachine(): { boot: string | null; uptime_ms: number } {
  let boot: string | null = null;
  try {
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Another system.
  }
  return { boot, uptime_ms: Math.round(os.uptime() * 1_000) };
}

/** Only what is cheap to find: small tables, and large ones by an index. A start adds to none of them before its first heartbeat. */
const NEWEST_TIMES = {
  api_keys: sql<Newest>`select max(last_updated) as at from api_keys`,
  jobs: sql<Newest>`select max(created_at) as at from jobs`,
  sessions: sql<Newest>`
    select max(at) as at from (
      select max(created_at) as at from sessions where world = 'live'
      union all select max(created_at) as at from sessions where world = 'test'
    ) as newest
  `,
  strings: sql<Newest>`select created_at as at from strings where owner = '' order by id desc limit 1`,
};

interface Newest {
  at: number | null;
}

/** Returns the time of the newest row, or undefined if there is none. */
export async function findNewestTime({ engine, queries }: Queried): Promise<number | undefined> {
  const times: number[] = [];
  for (const [table, query] of Object.entries(NEWEST_TIMES)) {
    if (!(await hasTable({ engine, queries }, table))) continue;
    const at = (await query.execute(queries)).rows[0]?.at;
    if (typeof at === 'number') times.push(at);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Returns undefined on SQLite, which has no clock of its own. The round trip bounds the error. */
export async function measureServerClock(
  { engine, queries }: Queried,
  clock: Clock,
): Promise<{ aheadMs: number; roundTripMs: number } | undefined> {
  if (engine === 'sqlite') return undefined;
  // The wait for a connection is not part of the round trip.
  return queries.connection().execute(async (connection) => {
    const before = clock.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now
    `.execute(connection);
    const after = clock.now();
    return { aheadMs: rows[0]!.now - (before + after) / 2, roundTripMs: after - before };
  });
}
