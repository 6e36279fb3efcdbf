// Checks the clock against the release, the newest rows and, on PostgreSQL, the server's own clock.
import { sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import { printTime } from '../../terminal/print-table.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

/** No Limen was released before this day; raised with a release, never lowered. */
const RELEASED = Date.UTC(2026, 0, 1);
/** Several machines may write, and their clocks are never quite the same. */
const TOLERANCE_MS = 60_000;
const NOTICEABLE_MS = 2_000;
/** A job's lease: with clocks further apart, two processes take the same job for theirs. */
const LEASE_MS = 30_000;

const REMEDY = 'set the clock and keep it in sync (NTP): sessions, leases and webhook signatures depend on it';

/** Where to look for the newest time: only what is cheap to find, so small tables, and the string store by its index. */
const NEWEST_TIMES = {
  schema_migrations: sql<Newest>`select max(applied_at) as at from schema_migrations`,
  api_keys: sql<Newest>`select max(last_updated) as at from api_keys`,
  jobs: sql<Newest>`select max(created_at) as at from jobs`,
  strings: sql<Newest>`select created_at as at from strings where owner = '' order by id desc limit 1`,
};

interface Newest {
  at: number | null;
}

interface Clocks {
  now: number;
  /** The newest time in the database. */
  newest: number | undefined;
  /** How far the database server's clock is ahead of ours. */
  serverAheadMs: number | undefined;
}

export const checkClock: Check = async ({ clock, database: facts }) => {
  if (facts.state !== 'answers') return judgeClock({ now: clock.now(), newest: undefined, serverAheadMs: undefined });
  const newest = await newestTime(facts.database);
  const serverAheadMs = facts.database.engine === 'postgres' ? await measureServer(facts.database, clock) : undefined;
  return judgeClock({ now: clock.now(), newest, serverAheadMs });
};

export function judgeClock({ now, newest, serverAheadMs }: Clocks): Finding[] {
  const findings: Finding[] = [];
  if (now < RELEASED) {
    findings.push(failure(`it is ${printTime(now)}, which is before this version was released`, REMEDY));
  }
  if (newest !== undefined && now < newest - TOLERANCE_MS) {
    findings.push(failure(`it is ${printTime(now)}, but the database has rows from ${printTime(newest)}`, REMEDY));
  }
  const apartMs = Math.abs(serverAheadMs ?? 0);
  if (apartMs > NOTICEABLE_MS) {
    const found = `it is ${(apartMs / 1_000).toFixed(1)} s ${(serverAheadMs ?? 0) > 0 ? 'behind' : 'ahead of'} PostgreSQL’s`;
    findings.push(apartMs > LEASE_MS ? failure(found, REMEDY) : warning(found, REMEDY));
  }
  if (findings.length > 0) return findings;
  const beside = serverAheadMs === undefined ? '' : `, ${(apartMs / 1_000).toFixed(1)} s beside PostgreSQL’s`;
  return [ok(`${printTime(now)}${beside}`)];
}

async function newestTime(database: Database): Promise<number | undefined> {
  const times: number[] = [];
  for (const [table, query] of Object.entries(NEWEST_TIMES)) {
    if (!(await hasTable(database, table))) continue;
    const at = (await query.execute(database.queries)).rows[0]?.at;
    if (typeof at === 'number') times.push(at);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}

async function measureServer({ queries }: Database, clock: Clock): Promise<number | undefined> {
  const before = clock.now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  `.execute(queries);
  const halfway = (before + clock.now()) / 2;
  return rows[0] && rows[0].now - halfway;
}
