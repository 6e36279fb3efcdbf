// Everything that recognises people of verification sessions: the key-holder and the face tokens over it, for the model
// that is served.
import type { Logger } from 'pino';
import type { Clock } from '../../platform/base/clock.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import type { Ids } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { ReadinessChecks } from '../../platform/watch/readiness.ts';
import { KeyHolderUnavailable } from '../keyholder/link/calls.ts';
import { holdToOne, type OneKeyHolder } from '../keyholder/link/one.ts';
import { type OpenKeyHolderOptions, openKeyHolder } from '../keyholder/link/open.ts';
import { readManifest } from '../models/manifest.ts';
import { describeTokenModel } from './model.ts';
import { openFaceTokens } from './open.ts';

const MINUTE_MS = 60_000;
const packTokens = defineRecurringJob('tokens.pack', MINUTE_MS, { needsRightClock: false });

interface OpenSignIn extends Omit<OpenKeyHolderOptions, 'sealer' | 'log'> {
  database: Database;
  sealer: Sealer;
  memoryMb: number;
  maxPeople: number;
  clock: Clock;
  ids: Ids;
  log: Logger;
  /** Given by a service, which reports how far it is. */
  readiness?: ReadinessChecks;
  metrics?: Metrics;
  /** The same: people are packed by whichever process has its turn. */
  jobs?: Jobs;
}

export type SignIn = Awaited<ReturnType<typeof openSignIn>>;

export async function openSignIn(options: OpenSignIn) {
  const { models } = await readManifest(options.modelManifest);
  const embedding = models.find(({ role }) => role === 'embedding');
  if (!embedding) throw new Error('the manifest has no embedding model');
  const { urls, ids } = options;
  const keyHolder = holdToOne((findProblem) => openKeyHolder({ ...options, findProblem }), {
    ...options,
    thread: urls === undefined ? ids.random() : undefined,
  });
  if (options.warm) await look(keyHolder);
  const tokens = openFaceTokens({ ...options, keyHolder, modelIdentity: embedding.identity });
  options.readiness?.addOptional('keyholder', keyHolder.report);
  options.metrics?.addGauge(
    'limen_keyholder_refused',
    'Whether a key-holder answers and is not called, because it is not the one of the database; 0 or 1.',
    [],
    async (gauge) => gauge.set(keyHolder.isRefused() ? 1 : 0),
  );
  options.readiness?.add('tokens', () => tokens.state());
  options.jobs?.handle(packTokens, async (_, { signal }) => {
    await tokens.packAll(signal);
  });
  let loading: Promise<void> | undefined;
  return {
    keyHolder,
    tokens,
    modelId: describeTokenModel(embedding.identity).modelId,
    /** Begins to load the tokens in the background. */
    start(): void {
      const { log } = options;
      loading = tokens.load().catch((error) => log.error(describeForLog(error), 'loading the face tokens failed'));
    },
    async close(): Promise<void> {
      await tokens.close();
      await keyHolder.close();
      await loading;
    },
  };
}

/**
 * So that the log and `/ready` say from the start what is wrong. The service starts all the same: requests that need the
 * key-holder are refused, and all others are served.
 */
async function look(keyHolder: OneKeyHolder): Promise<void> {
  await keyHolder.examine().catch((error: unknown) => {
    if (!(error instanceof KeyHolderUnavailable)) throw error;
  });
}
