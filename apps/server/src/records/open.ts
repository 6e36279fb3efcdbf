// Opens the counts for the overview, and the audit log for the command line.
import { describeForLog } from '../platform/base/errors.ts';
import type { Core } from '../platform/core.ts';
import { createActivity, createActivityStore } from './activity.ts';
import { recordAs, THIS_MACHINE } from './audit/log.ts';
import { openAudit } from './audit/open.ts';

export function openRecords(context: Core) {
  const onProblem = (error: unknown) =>
    context.log.warn(describeForLog(error), 'activity was not written; it will be retried');
  return {
    activity: createActivity(createActivityStore(context.database), context, onProblem),
    /** Records an act of the command line. */
    record: recordAs(openAudit(context).audit, THIS_MACHINE),
  };
}
