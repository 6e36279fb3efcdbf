// Puts age keys together: their rows, their end, and what is counted of them.

import type { Context } from '../../../platform/context.ts';
import { inBatches } from '../../../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Ceremony } from '../../../platform/webauthn/ceremony.ts';
import type { Embedders } from '../../lifecycle/embedders.ts';
import { type AgeKeys, createAgeKeys } from './age-keys.ts';
import type { AgeKeyScope } from './rules.ts';
import { createAgeKeyStore } from './store.ts';

/** From its end on a key is as good as deleted; its row goes this much later. */
const PURGE_EVERY_MS = 60 * 60_000;
const BATCH = 100;
const purgeAgeKeys = defineRecurringJob('age_keys.purge', PURGE_EVERY_MS);

interface AgeKeyNeighbors {
  ceremony: Ceremony;
  embedders: Embedders;
}

export function openAgeKeys(
  { database, sealer, jobs, metrics, clock, log }: Context,
  scope: AgeKeyScope,
  { ceremony, embedders }: AgeKeyNeighbors,
): AgeKeys {
  const store = createAgeKeyStore(database, sealer);
  const ageKeys = createAgeKeys({ scope, store, sealer, ceremony, embedders, clock, log });
  jobs.handle(purgeAgeKeys, async (_payload, { signal }) => {
    await inBatches(signal, BATCH, () => ageKeys.purge(BATCH));
    await ageKeys.purgeCounts();
  });
  metrics.addCounters('limen_age_keys_total', 'Age keys, by what became of them.', 'outcome', ageKeys.counts);
  return ageKeys;
}
