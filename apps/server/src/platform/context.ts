// Opens the base of the service: storage, keys, jobs, stored replies, and their monitoring.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './base/clock.ts';
import { describeForLog } from './base/errors.ts';
import { createIds } from './base/ids.ts';
import { createCore } from './core.ts';
import { makeFolder } from './files/folder.ts';
import { registerHousekeeping, watchDisk } from './housekeeping.ts';
import { openStorage, type StorageOptions } from './storage.ts';
import { openTracing, type TracingSettings, traceQueries } from './tracing/tracing.ts';
import { type FindNewestTime, watchClock } from './watch/clock.ts';
import { createMetrics } from './watch/metrics.ts';
import { createReadiness, isReady } from './watch/readiness.ts';

interface ContextSettings {
  storage: Pick<StorageOptions, 'url' | 'dataDir' | 'masterKey' | 'reserveBytes'>;
  databaseWaitSeconds: number;
  allowDevelopmentKeys: boolean;
  tracing: TracingSettings | undefined;
}

interface ContextOptions {
  /** Unwatched clock of a test. */
  clock?: Clock | undefined;
  findNewestTime: FindNewestTime;
  jobClock?: Clock | undefined;
  /** Whether metrics include memory, event loop and garbage collection; once per process. */
  processMetrics?: boolean | undefined;
  /**
   * Called if a newer version removed something that this one needs, while this process was
   * suspended or disconnected.
   */
  onOutgrown?: ((error: Error) => void) | undefined;
  log: Logger;
}

export type Context = Awaited<ReturnType<typeof openContext>>;

export async function openContext(settings: ContextSettings, options: ContextOptions) {
  const { databaseWaitSeconds: seconds, allowDevelopmentKeys } = settings;
  const { jobClock, log } = options;
  const { url, dataDir } = settings.storage;
  // Nothing else creates the folder with PostgreSQL and keys from the environment, and its disk is
  // watched.
  makeFolder(dataDir);
  const watched = options.clock === undefined ? watchClock(log, options.findNewestTime) : undefined;
  const clock: Clock = watched?.clock ?? options.clock ?? systemClock;
  const ids = createIds(clock);
  const metrics = createMetrics(options.processMetrics ?? false);
  const tracing = settings.tracing && (await openTracing(settings.tracing, log, metrics));
  const { database, sealer, presence, migrated } = await openStorage({
    ...settings.storage,
    // Processes on one machine find each other by the system clock, even if it is wrong.
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
    // Commands name the process by this id.
    log.info({ process: presence.id, host: hostname(), pid: process.pid }, 'this process works on the database');
    if (migrated.length > 0) log.info({ migrations: migrated }, 'the schema is up to date');
    const core = createCore({ database, sealer, clock, jobClock, ids, log, allowDevelopmentKeys });
    const readiness = createReadiness();
    registerHousekeeping(core);
    metrics.addGauge('limen_jobs', 'Background jobs by kind and state.', ['kind', 'state'], async (gauge) => {
      for (const { kind, state, count } of await core.jobStore.countByState()) gauge.set({ kind, state }, count);
    });
    const help = 'Whether a part is ready, as /ready says; 0 or 1.';
    metrics.addGauge('limen_part_ready', help, ['part'], async (gauge) => {
      const { checks } = await readiness.report();
      for (const [part, state] of Object.entries(checks)) gauge.set({ part }, isReady(state) ? 1 : 0);
    });
    watched?.report({ metrics, readiness });
    watchDisk(dataDir, { database, metrics, readiness });
    return { ...core, metrics, readiness, tracing };
  } catch (error) {
    await database.close();
    await tracing?.close();
    throw error;
  }
}
