// What every part of the service stands on: storage, keys, jobs, stored replies, and the watch over them.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type ApiKeys, createApiKeys } from './api-keys/api-keys.ts';
import { createKeyUses, type KeyUses } from './api-keys/key-uses.ts';
import { createApiKeyStore } from './api-keys/store.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { describeForLog } from './base/errors.ts';
import { createIds, type Ids } from './base/ids.ts';
import type { Database } from './database/database.ts';
import { registerHousekeeping, watchDisk } from './housekeeping.ts';
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { createJobStore } from './jobs/store.ts';
import type { KeyringOptions } from './sealing/keyring.ts';
import type { Sealer } from './sealing/sealer.ts';
import { openStorage, type Storage } from './storage.ts';
import { openTracing, type TracingSettings } from './tracing/open.ts';
import { traceQueries } from './tracing/trace-queries.ts';
import type { Tracing } from './tracing/tracing.ts';
import { type WatchedClock, watchClock } from './watch/clock.ts';
import { createMetrics, type Metrics } from './watch/metrics.ts';
import { createReadiness, isReady, type ReadinessChecks } from './watch/readiness.ts';

interface FoundationOptions {
  /** Of PostgreSQL; without it there is a file in the folder. */
  url: string | undefined;
  dataDir: string;
  masterKey: KeyringOptions['masterKey'];
  /** Room on the disk that only deletions may use. */
  reserveBytes: number;
  /** How long a database that does not answer yet is waited for. */
  databaseWaitSeconds: number;
  allowDevelopmentKeys: boolean;
  /** Memory, event loop and garbage collection in the metrics; once per process. */
  processMetrics: boolean;
  /** Clock that nothing is compared with; in a test. */
  clock?: Clock | undefined;
  /** By which jobs are due, where it is another. */
  jobClock?: Clock | undefined;
  /** Where traces go; nowhere without. */
  tracing?: TracingSettings | undefined;
  /** Told when a newer version has taken away what this one needs, while this process was suspended or cut off. */
  onOutgrown?: ((error: Error) => void) | undefined;
  log: Logger;
}

export interface Foundation {
  database: Database;
  sealer: Sealer;
  apiKeys: ApiKeys;
  keyUses: KeyUses;
  idempotency: Idempotency;
  jobs: Jobs;
  metrics: Metrics;
  readiness: ReadinessChecks;
  clock: Clock;
  ids: Ids;
  /** Undefined where it is off. */
  tracing: Tracing | undefined;
  log: Logger;
}

export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { databaseWaitSeconds: seconds, log } = options;
  const watched = options.clock === undefined ? watchClock(log) : undefined;
  const clock = watched?.clock ?? options.clock ?? systemClock;
  const ids = createIds(clock);
  const metrics = createMetrics(options.processMetrics);
  const tracing = options.tracing && openTracing(options.tracing, log, metrics);
  const storage = await openStorage({
    url: options.url,
    dataDir: options.dataDir,
    masterKey: options.masterKey,
    // Processes on one machine find each other by the system clock, also while it is wrong.
    clock: options.clock ?? systemClock,
    ids,
    onHeartbeat: watched?.beat,
    onConnectionError: (error) => log.warn(describeForLog(error), 'a database connection broke'),
    reserveBytes: options.reserveBytes,
    onQuery: tracing && traceQueries(tracing, options.url === undefined ? 'sqlite' : 'postgres'),
    onRoomChange: (change) =>
      log[change === 'room again' ? 'info' : 'error']({ change }, 'the free space on the disk changed'),
    onOutgrown: options.onOutgrown,
    patience: {
      forMs: seconds * 1000,
      onWaiting: (reason) => log.warn({ seconds, reason }, 'waiting for the database'),
    },
  });
  try {
    return layFoundation(storage, { ids, metrics, tracing, clock, watched }, options);
  } catch (error) {
    await storage.database.close();
    await tracing?.close();
    throw error;
  }
}

function layFoundation(
  { database, sealer, presence, migrated }: Storage,
  parts: Pick<Foundation, 'ids' | 'metrics' | 'tracing' | 'clock'> & { watched: WatchedClock | undefined },
  options: FoundationOptions,
): Foundation {
  const { ids, metrics, tracing, clock, watched } = parts;
  const { dataDir, allowDevelopmentKeys, log } = options;
  // By this id commands speak of the process: here is where it runs.
  log.info({ process: presence.id, host: hostname(), pid: process.pid }, 'this process works on the database');
  if (migrated.length > 0) log.info({ migrations: migrated }, 'the schema is up to date');

  const store = createApiKeyStore(database, sealer, log);
  const keyUses = createKeyUses({ database, clock, log });
  const apiKeys = createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys, onUse: keyUses.note });
  const jobStore = createJobStore(database);
  const jobs = createJobs({ database, store: jobStore, sealer, clock: options.jobClock ?? clock, ids, log });
  const idempotency = createIdempotency({ database, sealer, clock });
  registerHousekeeping({ jobs, jobStore, database, idempotency, clock });

  metrics.addGauge('limen_jobs', 'Background jobs by kind and state.', ['kind', 'state'], async (gauge) => {
    for (const { kind, state, count } of await jobStore.countByState()) gauge.set({ kind, state }, count);
  });
  const readiness = createReadiness();
  metrics.addGauge('limen_part_ready', 'Whether a part is ready, as /ready says; 0 or 1.', ['part'], async (gauge) => {
    const { checks } = await readiness.report();
    for (const [part, state] of Object.entries(checks)) gauge.set({ part }, isReady(state) ? 1 : 0);
  });
  watched?.report({ metrics, readiness });
  watchDisk({ folder: dataDir, database, metrics, readiness });
  return { database, sealer, apiKeys, keyUses, idempotency, jobs, metrics, readiness, clock, ids, tracing, log };
}
