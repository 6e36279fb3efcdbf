// Deletes links that no wallet answered in time, including those of sessions that nobody looks at any longer.
import type { Clock } from '../../../platform/base/clock.ts';
import { inBatches } from '../../../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { WalletLinkStore } from './wallet-link-store.ts';

/** From its expiry on, a link is as good as deleted; its row goes this much later. */
const PURGE_EVERY_MS = 60_000;
const BATCH = 100;

const purgeWalletLinks = defineRecurringJob('wallet_links.purge', PURGE_EVERY_MS);

export function registerWalletLinkTimer(jobs: Jobs, links: Pick<WalletLinkStore, 'purge'>, clock: Clock): void {
  jobs.handle(purgeWalletLinks, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => links.purge(clock.now(), BATCH)),
  );
}
