// Opens the signing of results and receipts: first keys, upkeep, published keys and metrics.
import { formatMinutes, PublicKeySet, ref } from '@limen/contract';
import type { Context } from '../platform/context.ts';
import type { Door, HttpServer } from '../platform/http/types.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { SigningKeys } from './keys.ts';
import { KEY_SET_MAX_AGE_SECONDS } from './limits.ts';
import { chooseSigning, WORLDS } from './rules.ts';
import { createSigning, type Signing } from './sign.ts';

const tidyKeys = defineRecurringJob('signing-keys.tidy', 60 * 60_000);

/** Door whose routes sign their replies. */
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
  metrics.addCounters('limen_signed_total', 'Signatures, by type.', 'type', signing.counts);
  const help = 'Age of the key that signs, by world.';
  metrics.addGauge('limen_signing_key_age_seconds', help, ['world'], async (gauge) => {
    const byWorld = Map.groupBy(await signingKeys.list(), ({ world }) => world);
    const now = clock.now();
    for (const world of WORLDS) {
      const key = chooseSigning(byWorld.get(world) ?? [], now);
      if (key) gauge.set({ world }, Math.max(0, (now - key.signs_from) / 1000));
    }
  });
  return { http: door.http, access: door.access, signing };
}

function registerSigningKeyRoutes(app: HttpServer, signingKeys: SigningKeys): void {
  app.get(
    '/.well-known/jwks.json',
    {
      schema: {
        tags: ['Signed results'],
        summary: 'The public keys of signed results',
        description: `The keys of both worlds that sign now, will sign next, or have unexpired signatures. May be cached for ${formatMinutes(KEY_SET_MAX_AGE_SECONDS * 1_000)}; a new key is listed an hour before it signs. See docs/signed-results.md.`,
        response: { 200: ref(PublicKeySet, 'A JSON Web Key Set.') },
      },
    },
    async (_request, reply) =>
      reply
        .headers({
          'cache-control': `public, max-age=${KEY_SET_MAX_AGE_SECONDS}`,
          // A page of any origin may check a result.
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
        })
        .send(await signingKeys.published()),
  );
}
