// Compares the system clock at each heartbeat, and reports a wrong one in the log, in /ready and in the metrics.
import type { Logger } from 'pino';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { measureServerClock, readHeartbeat, writeHeartbeat } from '../database/heartbeat.ts';
import type { Metrics } from './metrics.ts';
import { READY, type ReadinessChecks } from './readiness.ts';
import { type ClockFault, createReferenceClock } from './reference-clock.ts';

/** Slower readings of the database server's clock are too inexact. */
const MAX_ROUND_TRIP_MS = 2_000;
const HELD = 'this process deletes and expires nothing';

/** Returns the time of the newest row, or undefined if there is none. Decides the first start without a heartbeat. */
export type FindNewestTime = (database: Database) => Promise<number | undefined>;

export function watchClock(log: Logger, findNewestTime: FindNewestTime) {
  const clock = createReferenceClock();
  let wasWrong = false;

  function logChange(): void {
    const fault = clock.fault();
    if (fault && !wasWrong) log.error({ offsetSeconds: fault.offsetMs / 1_000 }, describeFault(fault));
    if (!fault && wasWrong) log.info('the clock is right again');
    wasWrong = fault !== undefined;
  }

  return {
    clock,
    /** Runs at each heartbeat. */
    async beat(database: Database): Promise<void> {
      const server = await measureServerClock(database, systemClock);
      if (server && server.roundTripMs > MAX_ROUND_TRIP_MS) return;
      const lastHeartbeat = await readHeartbeat(database);
      const newestTime = lastHeartbeat ? undefined : await findNewestTime(database);
      const heartbeat = clock.compare({ databaseAheadMs: server?.aheadMs, lastHeartbeat, newestTime });
      logChange();
      if (heartbeat !== undefined) await writeHeartbeat(database, heartbeat);
    },
    report({ metrics, readiness }: { metrics: Metrics; readiness: ReadinessChecks }): void {
      readiness.add('clock', () => {
        const fault = clock.fault();
        return fault ? describeFault(fault) : READY;
      });
      const help = 'System clock minus the time that it should show.';
      metrics.addGauge('limen_clock_offset_seconds', help, [], async (gauge) => {
        gauge.set((clock.fault()?.offsetMs ?? 0) / 1_000);
      });
    },
  };
}

export function describeFault({ kind, offsetMs }: ClockFault): string {
  const seconds = `${Math.round(Math.abs(offsetMs) / 1_000)} s`;
  const way = offsetMs > 0 ? 'ahead' : 'back';
  switch (kind) {
    case 'not compared':
      return 'the clock has not been compared yet';
    case 'apart':
      return `the system clock is ${seconds} ${offsetMs > 0 ? 'ahead of' : 'behind'} PostgreSQL’s; ${HELD}; set it (NTP)`;
    case 'jumped':
      return `the system clock jumped ${way} by ${seconds}; ${HELD}; set it (NTP), or run limen clock confirm if it is right`;
    case 'stopped':
      return offsetMs > 0
        ? `the last heartbeat was ${seconds} ago; ${HELD}; set the clock, or run limen clock confirm if it is right`
        : `the last heartbeat is ${seconds} in the future; ${HELD}; set the clock, or run limen clock confirm if it is right`;
  }
}
