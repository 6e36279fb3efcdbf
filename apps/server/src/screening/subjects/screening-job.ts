// The jobs that screen subjects which were added or changed, written with them: one kind for each world.
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import { defineJob, exponentialBackoff } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { WatchedScreener } from './screen.ts';

const options = {
  // Nobody who is to be screened is forgotten, however long a list is missing.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  backoffMs: exponentialBackoff(500, 600_000),
};
const screenDue = defineJob<{ ids: WatchedSubjectId[] }>('watching.screen', { concurrency: 2, ...options });
/** A queue of its own: live subjects do not wait behind an import with a test key. */
const screenDueTest = defineJob<{ ids: WatchedSubjectId[] }>('watching.screen_test', { concurrency: 1, ...options });

/** Those that are left are screened by the next run. */
class StillDue extends Error {
  override readonly name = 'StillDue';
}

export function screeningJobOf(world: World) {
  return world === 'live' ? screenDue : screenDueTest;
}

export function handleScreening(jobs: Jobs, screener: Pick<WatchedScreener, 'screen'>): void {
  for (const job of [screenDue, screenDueTest]) {
    jobs.handle(job, async ({ ids }, { signal }) => {
      // A run before this one, or the run of another change, may have screened some.
      const left = await screener.screen(ids, { signal, only: 'due' });
      if (left.length > 0) throw new StillDue();
    });
  }
}
