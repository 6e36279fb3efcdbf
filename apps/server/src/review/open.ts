// Opens review: the cases, their deletion in time, and reports about them.
import { inBatches } from '../platform/base/batches.ts';
import type { Context } from '../platform/context.ts';
import type { Core } from '../platform/core.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import type { Webhooks } from '../webhooks/outbox.ts';
import { createReviewCases, type ReviewTimes } from './cases.ts';
import { createReviewDesk, type HitDecisions, type ReviewDesk } from './desk.ts';
import { createCaseFiles } from './notes.ts';
import type { reviewSettings } from './settings.ts';
import { createReviewStore, type ReviewStore } from './store.ts';

const MINUTE_MS = 60_000;
const PURGE_BATCH = 100;
const purgeCases = defineRecurringJob('review.purge', MINUTE_MS);

/** Opens the cases for the service and for commands. */
export function openReview(core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>, times: ReviewTimes) {
  const store = createReviewStore(core.database);
  const files = createCaseFiles(core);
  return { cases: createReviewCases(core, { store, files }, times), store, files };
}

/** Opens the desk of the service, which also deletes old cases and counts those that wait. */
export function openReviewDesk(
  context: Context,
  { eyes, retentionMs }: ReturnType<typeof reviewSettings>,
  neighbors: ReturnType<typeof openReview> & { webhooks: Webhooks; watched: HitDecisions | undefined },
): ReviewDesk {
  const { database, clock } = context;
  keepTime(neighbors.store, context);
  return createReviewDesk({ ...neighbors, database, clock, eyes, retentionMs });
}

function keepTime(store: ReviewStore, { database, jobs, metrics, clock, log }: Context): void {
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
    if (lapsed > 0) log.warn({ cases: lapsed }, 'undecided cases were deleted; see REVIEW_DAYS');
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
