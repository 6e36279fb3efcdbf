// Checks the clock against the release, the newest rows, the last heartbeat and, on PostgreSQL, the server's own clock.
import { printTime } from '../../../command-line/terminal/print-table.ts';
import { type Heartbeat, measureServerClock, readHeartbeat } from '../../../platform/database/heartbeat.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import { livingProcesses } from '../../../platform/database/processes.ts';
import { APART_MS, isTooFar, NEAR_MS } from '../../../platform/watch/reference-clock.ts';
import { findNewestTime } from '../../start/newest-time.ts';
import { type DoctorCheck, type DoctorFinding, failure, ok, warning } from './check.ts';

/** Day before which no version was released. Raised with a release, never lowered. */
const RELEASED = Date.UTC(2026, 0, 1);
const NOTICEABLE_MS = 2_000;

const REMEDY = 'set the clock and keep it in sync (NTP): sessions, leases and webhook signatures depend on it';
const CONFIRM =
  'until the clock is set, or confirmed with limen clock confirm, a service deletes and expires nothing and is not ready';

interface Clocks {
  now: number;
  newest?: number | undefined;
  /** Last heartbeat with a right clock */
  heartbeat?: Heartbeat | undefined;
  /** Whether the service that wrote the heartbeat still runs */
  isRunning?: boolean;
  serverAheadMs?: number | undefined;
}

export const checkClock: DoctorCheck = async ({ clock, database: facts }) => {
  if (facts.state !== 'answers') return judgeClock({ now: clock.now() });
  const newest = await findNewestTime(facts.database);
  const hasHeartbeats = await hasTable(facts.database, 'clock');
  const heartbeat = hasHeartbeats ? await readHeartbeat(facts.database) : undefined;
  const living = heartbeat === undefined ? [] : await livingProcesses(facts.database, clock.now());
  const isRunning = living.some(({ started_at }) => started_at <= heartbeat!.at);
  const server = await measureServerClock(facts.database, clock);
  return judgeClock({ now: clock.now(), newest, heartbeat, isRunning, serverAheadMs: server?.aheadMs });
};

export function judgeClock({ now, newest, heartbeat, isRunning = false, serverAheadMs }: Clocks): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (now < RELEASED) {
    findings.push(failure(`it is ${printTime(now)}, which is before this version was released`, REMEDY));
  }
  if (newest !== undefined && now < newest - NEAR_MS) {
    findings.push(failure(`it is ${printTime(now)}, but the database has rows from ${printTime(newest)}`, REMEDY));
  }
  const isLate = newest !== undefined && now >= newest;
  const last = heartbeat ?? (isLate ? { at: newest, passedMs: undefined } : undefined);
  const gapMs = last === undefined ? 0 : now + (serverAheadMs ?? 0) - last.at - (last.passedMs ?? 0);
  const isCounted = last?.passedMs !== undefined || isRunning;
  if (isTooFar(gapMs, { isCounted, hasDatabaseClock: serverAheadMs !== undefined })) {
    const what =
      heartbeat === undefined
        ? 'newest row is from'
        : `last heartbeat of ${isRunning ? 'the running service' : 'a service'} was at`;
    findings.push(failure(`it is ${printTime(now)}, but the ${what} ${printTime(last!.at)}`, CONFIRM));
  }
  const apartMs = Math.abs(serverAheadMs ?? 0);
  if (apartMs > NOTICEABLE_MS) {
    const found = `it is ${(apartMs / 1_000).toFixed(1)} s ${(serverAheadMs ?? 0) > 0 ? 'behind' : 'ahead of'} PostgreSQL’s`;
    findings.push(apartMs > APART_MS ? failure(found, REMEDY) : warning(found, REMEDY));
  }
  if (findings.length > 0) return findings;
  const beside = serverAheadMs === undefined ? '' : `, ${(apartMs / 1_000).toFixed(1)} s beside PostgreSQL’s`;
  return [ok(`${printTime(now)}${beside}`)];
}
