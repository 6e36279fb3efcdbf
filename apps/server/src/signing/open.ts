// Opens the signing of results and receipts: first keys, upkeep, and how it shows in metrics.

import type { Foundation } from '../platform/context.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { createSigningKeys, type SigningKeys } from './keys.ts';
import { chooseSigning, WORLDS } from './rules.ts';
import { createSigning, type Signing } from './sign.ts';

const tidyKeys = defineRecurringJob('signing-keys.tidy', 60 * 60_000);

interface OpenSigning extends Foundation {
  publicUrl: () => string;
}

export interface OpenedSigning {
  signing: Signing;
  signingKeys: SigningKeys;
}

export async function openSigning(options: OpenSigning): Promise<OpenedSigning> {
  const { jobs, metrics, clock } = options;
  const signingKeys = createSigningKeys(options);
  await signingKeys.ensure();
  const signing = createSigning({ ...options, keys: signingKeys });
  jobs.handle(tidyKeys, () => signingKeys.tidy());
  metrics.addCounters('limen_signed_total', 'What was signed, by type.', 'type', signing.counts);
  const help = 'Age of the key that signs, by world.';
  metrics.addGauge('limen_signing_key_age_seconds', help, ['world'], async (gauge) => {
    const rows = await signingKeys.list();
    const now = clock.now();
    for (const world of WORLDS) {
      const key = chooseSigning(
        rows.filter((row) => row.world === world),
        now,
      );
      if (key) gauge.set({ world }, Math.max(0, (now - key.signs_from) / 1000));
    }
  });
  return { signing, signingKeys };
}
