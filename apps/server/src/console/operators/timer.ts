// Deletes sessions and invites of operators whose time is over.
import type { Clock } from '../../platform/base/clock.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { OperatorStore } from './store.ts';

const purgeOperators = defineRecurringJob('operators.purge', 10 * 60_000);

export function registerOperatorTimer(jobs: Jobs, store: Pick<OperatorStore, 'deleteOver'>, clock: Clock): void {
  jobs.handle(purgeOperators, () => store.deleteOver(clock.now()));
}
