// Keeps the log of removals short.
import type { Clock } from '../../../platform/base/clock.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { PeopleStore } from './people.ts';

const HOUR_MS = 60 * 60 * 1000;
/** An index that has not caught up for longer than this reads its whole gallery again. */
const KEPT_MS = 24 * HOUR_MS;
const purgeRemovals = defineRecurringJob('people.purge-removals', HOUR_MS);

interface RemovalLog {
  jobs: Jobs;
  database: Database;
  store: PeopleStore;
  clock: Clock;
}

export function registerRemovalLogPurge({ jobs, database, store, clock }: RemovalLog): void {
  const purge = (trx: Transaction) => store.purgeRemovals(trx, clock.now() - KEPT_MS);
  jobs.handle(purgeRemovals, () => database.transact(purge, { makesRoom: true }));
}
