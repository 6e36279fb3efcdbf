// Opens sign-in by face: the key-holder and the face tokens, for the served model.
import { describeForLog } from '../../platform/base/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { Core } from '../../platform/core.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import { KeyHolderUnavailableError } from '../keyholder/link/calls.ts';
import type { FindProblem } from '../keyholder/link/link.ts';
import { bindToKeyHolder } from '../keyholder/link/one.ts';
import { type LinkSettings, openKeyHolder } from '../keyholder/link/open.ts';
import { readManifest } from '../models/manifest.ts';
import { openFaceTokens } from './open.ts';
import { describeTokenModel } from './parts.ts';

const MINUTE_MS = 60_000;
const packTokens = defineRecurringJob('tokens.pack', MINUTE_MS, { needsRightClock: false });

interface SignInSettings extends LinkSettings {
  memoryMb: number;
  maxPeople: number;
}

export type SignIn = Awaited<ReturnType<typeof openSignIn>>;

export async function openSignIn(context: Core & Partial<Context>, settings: SignInSettings) {
  const { models } = await readManifest(settings.modelManifest);
  const embedding = models.find(({ role }) => role === 'embedding');
  if (!embedding) throw new Error('the manifest has no embedding model');
  const { database, jobs, metrics, readiness, clock, ids, log } = context;
  const thread = settings.urls === undefined ? ids.random() : undefined;
  const openLink = (findProblem: FindProblem) => openKeyHolder(context, settings, findProblem);
  const keyHolder = bindToKeyHolder(openLink, { database, thread, clock, log });
  // Reports problems from the start. Without a key-holder, the service still serves requests that do not need one.
  if (settings.warm) {
    await keyHolder.examine().catch((error: unknown) => {
      if (!(error instanceof KeyHolderUnavailableError)) throw error;
    });
  }
  const { memoryMb, maxPeople } = settings;
  const tokens = openFaceTokens(context, { memoryMb, maxPeople, modelIdentity: embedding.identity }, { keyHolder });
  readiness?.addOptional('keyholder', keyHolder.report);
  metrics?.addGauge(
    'limen_keyholder_refused',
    'Whether a key-holder answers and is not called, because it is not the one of the database; 0 or 1.',
    [],
    async (gauge) => gauge.set(keyHolder.isRefused() ? 1 : 0),
  );
  readiness?.add('tokens', () => tokens.state());
  jobs.handle(packTokens, async (_, { signal }) => void (await tokens.packAll(signal)));
  let loading: Promise<void> | undefined;
  return {
    keyHolder,
    tokens,
    modelId: describeTokenModel(embedding.identity).modelId,
    start(): void {
      loading = tokens.load().catch((error) => log.error(describeForLog(error), 'loading the face tokens failed'));
    },
    async close(): Promise<void> {
      await tokens.close();
      await keyHolder.close();
      await loading;
    },
  };
}
