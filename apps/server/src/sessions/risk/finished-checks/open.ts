// Opens the memory of finished checks, and forgets them in time.

import type { Context } from '../../../platform/context.ts';
import { inBatches } from '../../../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import { createFinishedChecks, type FinishedChecks } from './finished-checks.ts';
import { createCheckStore } from './store.ts';

const PURGE_EVERY_MS = 30 * 60_000;
const BATCH = 1_000;
const purgeChecks = defineRecurringJob('finished_checks.purge', PURGE_EVERY_MS);

export function openFinishedChecks(context: Context, burstPerMinute: number): FinishedChecks {
  const { database, sealer, apiKeys, jobs, clock } = context;
  const checks = createFinishedChecks({ store: createCheckStore(database), sealer, apiKeys, clock, burstPerMinute });
  jobs.handle(purgeChecks, (_payload, { signal }) => inBatches(signal, BATCH, () => checks.purge(BATCH)));
  return checks;
}
