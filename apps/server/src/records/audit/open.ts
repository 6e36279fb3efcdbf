// Puts the console's audit log together, and has old days pruned.
import type { Core } from '../../platform/core.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import { createCheckpoints } from './checkpoints.ts';
import { type AuditLog, createAuditLog } from './log.ts';
import { createAuditStore } from './store.ts';

const pruneAudit = defineRecurringJob('audit.prune', 60 * 60_000);

export function openAudit({ database, sealer, clock }: Pick<Core, 'database' | 'sealer' | 'clock'>) {
  const store = createAuditStore(database);
  const checkpoints = createCheckpoints(sealer);
  return { audit: createAuditLog({ database, store, checkpoints, sealer, clock }), store, checkpoints };
}

export type OpenedAudit = ReturnType<typeof openAudit>;

export function registerAuditPruning(
  { jobs, log }: Pick<Core, 'jobs' | 'log'>,
  audit: Pick<AuditLog, 'prune'>,
  days: number,
): void {
  jobs.handle(pruneAudit, async () => {
    const broken = await audit.prune(days);
    if (broken) log.error(broken, 'the audit log was changed from outside: no day from here on is pruned');
  });
}
