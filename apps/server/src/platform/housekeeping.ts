// Recurring upkeep of the database.
import type { Clock } from './clock.ts';
import type { Database } from './database/database.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { defineRecurringJob } from './jobs/job.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { JobStore } from './jobs/store.ts';

const MINUTE_MS = 60_000;
const purgeIdempotencyKeys = defineRecurringJob('idempotency.purge', 60 * MINUTE_MS);
/** Deleted rows are zeroed in the file at once, but live on in the write-ahead log until it is emptied. */
const checkpointDatabase = defineRecurringJob('database.checkpoint', MINUTE_MS);

/** Long enough for an operator to look at what failed; their payloads are sealed, but nothing is kept for ever. */
const DEAD_JOBS_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;
const purgeDeadJobs = defineRecurringJob('jobs.purge', 60 * MINUTE_MS);

interface Housekeeping {
  jobs: Jobs;
  jobStore: JobStore;
  database: Database;
  idempotency: Idempotency;
  clock: Clock;
}

export function registerHousekeeping({ jobs, jobStore, database, idempotency, clock }: Housekeeping): void {
  jobs.handle(purgeDeadJobs, () => jobStore.purgeDead(clock.now() - DEAD_JOBS_KEPT_MS));
  jobs.handle(purgeIdempotencyKeys, () => idempotency.purge());
  if (database.engine === 'sqlite') jobs.handle(checkpointDatabase, () => database.checkpoint());
}
