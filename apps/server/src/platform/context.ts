// Everything that every part of the service stands on: storage, keys, jobs, stored replies, and the watch over them.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './base/clock.ts';
import { describeForLog } from './base/errors.ts';
import { createIds } from './base/ids.ts';
import { type Core, createCore } from './core.ts';
import { makeFolder } from './files/folder.ts';
import { registerHousekeeping, watchDisk } from './housekeeping.ts';
import type { KeyringOptions } from './sealing/keyring.ts';
import { openStorage } from './storage.ts';
import { openTracing, type TracingSettings, traceQueries } from './tracing/open.ts';
import type { Tracing } from './tracing/tracing.ts';
import { type FindNewestTime, watchClock } from './watch/clock.ts';
import { createMetrics, type Metrics } from './watch/metrics.ts';
import { createReadiness, isReady, type ReadinessChecks } from './watch/readiness.ts';

interface ContextSettings {
  storage: {
    /** Address of PostgreSQL; without it the database is a file in the folder. */
    url: string | undefined;
    dataDir: string;
    masterKey: KeyringOptions['masterKey'];
    /** Room on the disk that only deletions may use. */
    reserveBytes: number;
  };
  /** Seconds to wait for a database that does not answer yet. */
  databaseWaitSeconds: number;
  allowDevelopmentKeys: boolean;
  /** Undefined if tracing is off. */
  tracing: TracingSettings | undefined;
}

interface ContextOptions {
  /** Clock that nothing is compared with; in a test. */
  clock?: Clock | undefined;
  findNewestTime: FindNewestTime;
  /** Clock that decides when jobs are due, if not `clock`. */
  jobClock?: Clock | undefined;
  /** Memory, event loop and garbage collection in the metrics; once per process. */
  processMetrics?: boolean | undefined;
  /** Called when a newer version took away something that this one needs, while this process was suspended or cut off. */
  onOutgrown?: ((error: Error) => void) | undefined;
  log: Logger;
}

export interface Context extends Core {
  metrics: Metrics;
  readiness: ReadinessChecks;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

export async function openContext(settings: ContextSettings, options: ContextOptions): Promise<Context> {
  const { databaseWaitSeconds: seconds } = settings;
  const { log } = options;
  const { url, dataDir } = settings.storage;
  // On PostgreSQL with keys from the environment nothing else makes it, and the disk is watched there.
  makeFolder(dataDir);
  const watched = options.clock === undefined ? watchClock(log, options.findNewestTime) : undefined;
  const clock = watched?.clock ?? options.clock ?? systemClock;
  const ids = createIds(clock);
  const metrics = createMetrics(options.processMetrics ?? false);
  const tracing = settings.tracing && openTracing(settings.tracing, log, metrics);
  const { database, sealer, presence, migrated } = await openStorage({
    ...settings.storage,
    // Processes on one machine find each other by the system clock, also while it is wrong.
    clock: options.clock ?? systemClock,
    ids,
    onHeartbeat: watched?.beat,
    onConnectionError: (error) => log.warn(describeForLog(error), 'a database connection broke'),
    onQuery: tracing && traceQueries(tracing, url === undefined ? 'sqlite' : 'postgres'),
    onRoomChange: (change) =>
      log[change === 'room again' ? 'info' : 'error']({ change }, 'the free space on the disk changed'),
    onOutgrown: options.onOutgrown,
    patience: {
      forMs: seconds * 1000,
      onWaiting: (reason) => log.warn({ seconds, reason }, 'waiting for the database'),
    },
  });
  try {
    // Commands name the process by this id; the log says where it runs.
    log.info({ process: presence.id, host: hostname(), pid: process.pid }, 'this process works on the database');
    if (migrated.length > 0) log.info({ migrations: migrated }, 'the schema is up to date');
    const { allowDevelopmentKeys } = settings;
    const { jobClock } = options;
    const core = createCore({ database, sealer, clock, jobClock, ids, log, allowDevelopmentKeys });
    const context: Context = { ...core, metrics, readiness: createReadiness(), tracing };
    registerHousekeeping(context);
    reportParts(context);
    watched?.report(context);
    watchDisk(dataDir, context);
    return context;
  } catch (error) {
    await database.close();
    await tracing?.close();
    throw error;
  }
}

function reportParts({ metrics, readiness, jobStore }: Pick<Context, 'metrics' | 'readiness' | 'jobStore'>): void {
  metrics.addGauge('limen_jobs', 'Background jobs by kind and state.', ['kind', 'state'], async (gauge) => {
    for (const { kind, state, count } of await jobStore.countByState()) gauge.set({ kind, state }, count);
  });
  metrics.addGauge('limen_part_ready', 'Whether a part is ready, as /ready says; 0 or 1.', ['part'], async (gauge) => {
    const { checks } = await readiness.report();
    for (const [part, state] of Object.entries(checks)) gauge.set({ part }, isReady(state) ? 1 : 0);
  });
}
