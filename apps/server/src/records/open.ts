// Opens what is kept of the past: counts for the overview, and the audit log as the command line writes it.
import { describeForLog } from '../platform/base/errors.ts';
import type { Core } from '../platform/core.ts';
import { createActivity, createActivityStore } from './activity.ts';
import { recordAsCommandLine } from './audit/log.ts';
import { openAudit } from './audit/open.ts';

export function openRecords(context: Core) {
  const { database, jobs, clock, log } = context;
  const onProblem = (error: unknown) => log.warn(describeForLog(error), 'activity was not counted; it is tried again');
  return {
    /** Counts for the overview. */
    activity: createActivity({ store: createActivityStore(database), jobs, clock, onProblem }),
    /** Puts an act of the command line on record. */
    record: recordAsCommandLine(openAudit(context).audit),
  };
}
