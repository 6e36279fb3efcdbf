// Deletes boxes that no device picked up in time, including those of sessions that nobody looks at any longer.
import type { Clock } from '../../../platform/base/clock.ts';
import { inBatches } from '../../../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { ChannelStore } from '../store.ts';

/** From its expiry on, a box is reported as gone; its row is deleted this much later. */
const PURGE_EVERY_MS = 10_000;
const BATCH = 100;

const purgeBoxes = defineRecurringJob('handoff.boxes', PURGE_EVERY_MS);

export function registerBoxTimer(jobs: Jobs, store: Pick<ChannelStore, 'purgeBoxes'>, clock: Clock): void {
  jobs.handle(purgeBoxes, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => store.purgeBoxes(clock.now(), BATCH)),
  );
}
