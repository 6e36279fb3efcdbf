// Registers the recurring upkeep of the database, and watches the disk.
import type { Core } from './core.ts';
import { formatBytes, freeBytes, LOW_BYTES } from './files/free-space.ts';
import { defineRecurringJob } from './jobs/job.ts';
import type { Metrics } from './watch/metrics.ts';
import { READY, type ReadinessChecks } from './watch/readiness.ts';

const MINUTE_MS = 60_000;
const purgeIdempotencyKeys = defineRecurringJob('idempotency.purge', 60 * MINUTE_MS);
/** Empties the write-ahead log, in which deleted rows remain. In the file, they are zeroed at once. */
const checkpointDatabase = defineRecurringJob('database.checkpoint', MINUTE_MS, { needsRightClock: false });

const DEAD_JOBS_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;
const purgeDeadJobs = defineRecurringJob('jobs.purge', 60 * MINUTE_MS);

export function registerHousekeeping({ jobs, jobStore, database, idempotency, clock }: Core): void {
  jobs.handle(purgeDeadJobs, () => jobStore.purgeDead(clock.now() - DEAD_JOBS_KEPT_MS));
  jobs.handle(purgeIdempotencyKeys, () => idempotency.purge());
  if (database.engine === 'sqlite') jobs.handle(checkpointDatabase, () => database.checkpoint());
}

interface DiskWatch extends Pick<Core, 'database'> {
  metrics: Metrics;
  readiness: ReadinessChecks;
}

/** Reports a nearly full disk of DATA_DIR. A PostgreSQL database is elsewhere. */
export function watchDisk(folder: string, { database, metrics, readiness }: DiskWatch): void {
  metrics.addGauge('limen_disk_free_bytes', 'Free bytes on the disk of DATA_DIR.', [], async (gauge) => {
    gauge.set(freeBytes(folder));
  });
  metrics.addGauge('limen_disk_reserve_bytes', 'Bytes kept for deletions on a full disk.', [], async (gauge) => {
    gauge.set(database.reserveBytes());
  });
  readiness.add('disk', () => {
    if (database.isFull()) return 'full: nothing new can be stored, reading and deleting go on; make room';
    const free = freeBytes(folder);
    return free < LOW_BYTES ? `${READY}; only ${formatBytes(free)} free, make room` : READY;
  });
}
