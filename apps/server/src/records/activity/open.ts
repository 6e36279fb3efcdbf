// Counting as the service runs it: sessions as they end, and what came of attempts at webhooks.
import { describeForLog } from '../../platform/base/errors.ts';
import type { Foundation } from '../../platform/context.ts';
import { type Activity, createActivity } from './counts.ts';
import { createActivityStore } from './store.ts';

export function openActivity({
  database,
  jobs,
  clock,
  log,
}: Pick<Foundation, 'database' | 'jobs' | 'clock' | 'log'>): Activity {
  const onProblem = (error: unknown) => log.warn(describeForLog(error), 'activity was not counted; it is tried again');
  return createActivity({ store: createActivityStore(database), jobs, clock, onProblem });
}
