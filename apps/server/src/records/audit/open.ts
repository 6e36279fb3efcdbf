// Opens the console's audit log, and registers the pruning of old days.
import type { Core } from '../../platform/core.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import { createCheckpoints } from './checkpoints.ts';
import { type AuditLog, createAuditLog } from './log.ts';
import { createAuditStore } from './store.ts';

const pruneAudit = defineRecurringJob('audit.prune', 60 * 60_000);

export function openAudit(core: Pick<Core, 'database' | 'sealer' | 'clock'>) {
  const store = createAuditStore(core.database);
  const checkpoints = createCheckpoints(core.sealer);
  return { audit: createAuditLog(core, store, checkpoints), store, checkpoints };
}

export type OpenedAudit = ReturnType<typeof openAudit>;

export function registerAuditPruning(
  { jobs, log }: Pick<Core, 'jobs' | 'log'>,
  audit: Pick<AuditLog, 'prune'>,
  days: number,
): void {
  jobs.handle(pruneAudit, async () => {
    const broken = await audit.prune(days);
    if (broken) log.error(broken, 'the audit log was edited: days from here on are not pruned');
  });
}
