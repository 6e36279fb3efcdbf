// Puts the console's audit log together, and has old days pruned.
import type { Logger } from 'pino';
import type { Clock } from '../../platform/base/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { type AuditLog, createAuditLog } from './log.ts';
import { type AuditStore, createAuditStore } from './store.ts';

const pruneAudit = defineRecurringJob('audit.prune', 60 * 60_000);

interface AuditParts {
  database: Database;
  sealer: Sealer;
  clock: Clock;
}

export interface OpenedAudit {
  audit: AuditLog;
  store: AuditStore;
  checkpoints: Checkpoints;
}

export function openAudit({ database, sealer, clock }: AuditParts): OpenedAudit {
  const store = createAuditStore(database);
  const checkpoints = createCheckpoints(sealer);
  return { audit: createAuditLog({ database, store, checkpoints, sealer, clock }), store, checkpoints };
}

interface AuditPruning {
  jobs: Jobs;
  audit: Pick<AuditLog, 'prune'>;
  days: number;
  log: Logger;
}

export function registerAuditPruning({ jobs, audit, days, log }: AuditPruning): void {
  jobs.handle(pruneAudit, async () => {
    const broken = await audit.prune(days);
    if (broken) log.error(broken, 'the audit log was changed from outside: no day from here on is pruned');
  });
}
