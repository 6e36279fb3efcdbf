// Review as the service runs it: the cases, what deletes them in time, and what is told about them.

import type { Foundation } from '../platform/context.ts';
import { inBatches } from '../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { createReviewCases, type ReviewCases, type ReviewTimes } from './cases.ts';
import { type CaseFiles, createCaseFiles } from './notes.ts';
import { createReviewStore, type ReviewStore } from './store.ts';

const MINUTE_MS = 60_000;
const PURGE_BATCH = 100;
const purgeCases = defineRecurringJob('review.purge', MINUTE_MS);

type OpenReview = Pick<Foundation, 'database' | 'sealer' | 'clock' | 'ids'> & ReviewTimes;

export interface OpenedReview {
  cases: ReviewCases;
  store: ReviewStore;
  files: CaseFiles;
}

export function openReview(options: OpenReview): OpenedReview {
  const store = createReviewStore(options.database);
  const files = createCaseFiles({ ...options, store });
  return { cases: createReviewCases({ ...options, store, files }), store, files };
}

/** For the process that serves: deletes what is over, and counts what waits. */
export function keepReviewTime(
  store: ReviewStore,
  { database, jobs, metrics, clock, log }: Pick<Foundation, 'database' | 'jobs' | 'metrics' | 'clock' | 'log'>,
): void {
  jobs.handle(purgeCases, async (_payload, { signal }) => {
    let lapsed = 0;
    await inBatches(signal, PURGE_BATCH, () =>
      database.transact(
        async (trx) => {
          const { gone, undecided } = await store.purge(trx, clock.now(), PURGE_BATCH);
          lapsed += undecided;
          return gone;
        },
        { makesRoom: true },
      ),
    );
    if (lapsed > 0) log.warn({ cases: lapsed }, 'cases were deleted that nobody had decided; see REVIEW_DAYS');
  });
  const waiting = 'Cases that wait for a reviewer, or for the second one.';
  metrics.addGauge('limen_review_waiting', waiting, ['state'], async (gauge) => {
    const { open, proposed } = await store.count(clock.now());
    gauge.set({ state: 'open' }, open);
    gauge.set({ state: 'proposed' }, proposed);
  });
  const overdue = 'Cases that are past their time and still wait.';
  metrics.addGauge('limen_review_overdue', overdue, [], async (gauge) =>
    gauge.set((await store.count(clock.now())).overdue),
  );
}
