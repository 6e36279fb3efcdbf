// Looks once through the sessions that ended before there were cases, and opens those that are missing. The migration that asks for
// it says until when that was: of a later session that has no case any more, the time to decide is over.
import type { Logger } from 'pino';
import { describeForLog } from '../../platform/errors.ts';
import { inBatches } from '../../platform/jobs/in-batches.ts';
import { defineJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { BrowsedSession, Sessions } from './sessions.ts';

const BATCH = 100;

export const caseBacklog = defineJob<{ endedUntil: number }>('review.backlog', { concurrency: 1 });

export function registerCaseBacklog(
  jobs: Pick<Jobs, 'handle'>,
  sessions: Pick<Sessions, 'browse' | 'openMissedCase'>,
  log: Pick<Logger, 'error'>,
): void {
  jobs.handle(caseBacklog, async ({ endedUntil }, { signal }) => {
    let before: BrowsedSession | undefined;
    await inBatches(signal, BATCH, async () => {
      const earlier = { state: 'completed', until: endedUntil + 1, marks: [] } as const;
      const found = await sessions.browse({ ...earlier, before, limit: BATCH });
      for (const session of found) {
        if (session.ended_at! <= endedUntil && isLeftToReview(session)) await sessions.openMissedCase(session.id);
      }
      before = found.at(-1);
      return found.length;
    });
    // Else done: the next process begins again, and passes over what has a case by then.
    signal.throwIfAborted();
  });

  /** One that was edited in the database gets none, and keeps no other from its own. */
  function isLeftToReview({ id, open }: BrowsedSession): boolean {
    try {
      return open().outcome?.riskEvaluation.recommendation === 'REVIEW';
    } catch (error) {
      log.error({ ...describeForLog(error), session: id }, 'a session does not open, so it gets no case');
      return false;
    }
  }
}
