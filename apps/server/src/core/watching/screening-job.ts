// The job that screens subjects which were added or changed, written with them.

import type { WatchedSubjectId } from '../../platform/ids.ts';
import { defineJob, exponentialBackoff } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { ScreenWatched } from './screen-watched.ts';

export const screenDue = defineJob<{ ids: WatchedSubjectId[] }>('watching.screen', {
  concurrency: 2,
  // Nobody who is to be screened is forgotten, however long a list is missing.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  backoffMs: exponentialBackoff(500, 600_000),
});

/** Those that are left are screened by the next run. */
class StillDue extends Error {
  override readonly name = 'StillDue';
}

export function handleScreening(jobs: Jobs, screen: ScreenWatched): void {
  jobs.handle(screenDue, async ({ ids }, { signal }) => {
    // A run before this one, or the run of another change, may have screened some.
    const left = await screen(ids, { signal, only: 'due' });
    if (left.length > 0) throw new StillDue();
  });
}
