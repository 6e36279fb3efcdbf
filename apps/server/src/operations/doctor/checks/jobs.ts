// Checks for background jobs that were given up.
import { hasTable } from '../../../platform/database/migrate.ts';
import { countJobs, type JobCounts } from '../../../platform/jobs/count.ts';
import { createJobStore } from '../../../platform/jobs/store.ts';
import { type Check, type Finding, ok, warning } from './check.ts';

export const checkJobs: Check = async ({ database: facts }) => {
  if (facts.state === 'silent') return [warning('not checked, because the database does not answer', 'see above')];
  if (facts.state === 'absent' || !(await hasTable(facts.database, 'jobs'))) return [ok('none yet')];
  return [judgeJobs(await countJobs(createJobStore(facts.database)))];
};

export function judgeJobs(counts: readonly JobCounts[]): Finding {
  const dead = counts.filter((count) => count.dead > 0);
  if (dead.length === 0) return ok('none is dead');
  const kinds = dead.map(({ kind, dead: number }) => `${number} ${kind}`).join(', ');
  return warning(`dead: ${kinds}`, 'see limen jobs list --dead, fix the cause, then: limen jobs retry ID');
}
