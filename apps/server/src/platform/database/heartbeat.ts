// Stores the last heartbeat of a service whose clock was right, and reads the clock of the database server.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { QueriedDatabase } from './database.ts';

export interface Heartbeat {
  at: number;
  /** Time since then by this machine's uptime. Undefined if it was another machine, or this one was restarted. */
  passedMs: number | undefined;
}

export async function readHeartbeat({ queries }: QueriedDatabase): Promise<Heartbeat | undefined> {
  const row = await queries.selectFrom('clock').selectAll().executeTakeFirst();
  if (row === undefined) return undefined;
  const machine = readMachine();
  const isSameStart = row.boot !== null && row.boot === machine.boot;
  return { at: row.seen_at, passedMs: isSameStart ? machine.uptime_ms - row.uptime_ms : undefined };
}

export async function writeHeartbeat({ queries }: QueriedDatabase, seen_at: number): Promise<void> {
  const row = { seen_at, ...readMachine() };
  await queries
    .insertInto('clock')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Returns the uptime, which no one can set, and the id of the boot. Only Linux has the id. */
function readMachine(): { boot: string | null; uptime_ms: number } {
  let boot: string | null = null;
  try {
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {}
  return { boot, uptime_ms: Math.round(os.uptime() * 1_000) };
}

/** Returns undefined on SQLite. The round trip bounds the error. */
export async function measureServerClock(
  { engine, queries }: QueriedDatabase,
  clock: Clock,
): Promise<{ aheadMs: number; roundTripMs: number } | undefined> {
  if (engine === 'sqlite') return undefined;
  // Gets a connection first, so that the wait for it is not part of the round trip.
  return queries.connection().execute(async (connection) => {
    const before = clock.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now
    `.execute(connection);
    const after = clock.now();
    return { aheadMs: rows[0]!.now - (before + after) / 2, roundTripMs: after - before };
  });
}
