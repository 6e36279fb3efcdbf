// Jobs that screen added and changed subjects, enqueued in the same transaction: one kind for each world.
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import { defineJob, exponentialBackoff } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { WatchedScreener } from './screen.ts';

// Retries forever, however long a list is missing.
const options = { maxAttempts: Number.MAX_SAFE_INTEGER, backoffMs: exponentialBackoff(500, 600_000) };
const JOBS = {
  live: defineJob<{ ids: WatchedSubjectId[] }>('watching.screen', { concurrency: 2, ...options }),
  /** A queue of its own: live subjects do not wait for an import with a test key. */
  test: defineJob<{ ids: WatchedSubjectId[] }>('watching.screen_test', { concurrency: 1, ...options }),
};

/** Some subjects could not be screened. The job runs again. */
class StillDueError extends Error {
  override readonly name = 'StillDue';
}

export function findScreeningJob(world: World) {
  return JOBS[world];
}

export function handleScreening(jobs: Jobs, screener: Pick<WatchedScreener, 'screen'>): void {
  for (const job of Object.values(JOBS)) {
    jobs.handle(job, async ({ ids }, { signal }) => {
      // An earlier run may have screened some of them.
      const left = await screener.screen(ids, { signal, only: 'due' });
      if (left.length > 0) throw new StillDueError();
    });
  }
}
