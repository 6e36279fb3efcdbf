// Opens the signing of results and receipts: first keys, upkeep, and how it shows in metrics.

import type { Context } from '../platform/context.ts';
import type { Door } from '../platform/http/types.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { SigningKeys } from './keys.ts';
import { registerSigningKeyRoutes } from './routes.ts';
import { chooseSigning, WORLDS } from './rules.ts';
import { createSigning, type Signing } from './sign.ts';

const tidyKeys = defineRecurringJob('signing-keys.tidy', 60 * 60_000);

/** A door whose routes sign what they return. */
export interface SigningDoor extends Door {
  signing: Signing;
}

export async function openSigning(context: Context, door: Door, publicUrl: () => string): Promise<SigningDoor> {
  const { jobs, metrics, clock } = context;
  const signingKeys = new SigningKeys(context);
  await signingKeys.ensure();
  registerSigningKeyRoutes(door.http, signingKeys);
  const signing = createSigning(signingKeys, publicUrl, clock);
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
  return { http: door.http, access: door.access, signing };
}
