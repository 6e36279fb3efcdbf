// Composition root: every part of the service is made here and handed what it needs.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createDatasetFolder } from './core/datasets/folder/dataset-folder.ts';
import { startScheduledSync } from './core/datasets/sync/scheduled-sync.ts';
import { createDeviceChannel } from './core/device-channel/channel.ts';
import { prepareClosing } from './core/device-channel/close-channel.ts';
import { createFollow } from './core/device-channel/follow.ts';
import { registerBoxTimer } from './core/device-channel/handoff/box-timer.ts';
import { createChannelStore } from './core/device-channel/store.ts';
import { openModels } from './core/models/open-models.ts';
import { createPasskeys } from './core/passkeys/passkeys.ts';
import { findRelyingParty } from './core/passkeys/relying-party.ts';
import { createPasskeyStore } from './core/passkeys/store.ts';
import { openPeople } from './core/people/open-people.ts';
import { registerRemovalLogPurge } from './core/people/store/removal-log.ts';
import { createPersonDevices } from './core/person-devices/person-devices.ts';
import { createPersonDeviceStore } from './core/person-devices/store.ts';
import { createSessions } from './core/sessions/sessions.ts';
import { createSessionStore } from './core/sessions/store.ts';
import { createSessionTimers, registerSessionTimers } from './core/sessions/timers.ts';
import { openSignIn } from './core/tokens/open-sign-in.ts';
import { openWebhooks } from './core/webhooks/open-webhooks.ts';
import { registerWebhookMetrics } from './core/webhooks/webhook-metrics.ts';
import { findDevelopmentKey } from './development-key.ts';
import { createAgeDeviceFlow } from './features/age-sessions/device-flow.ts';
import { createEndSession } from './features/age-sessions/end-session.ts';
import { registerAgeSessionRoutes } from './features/age-sessions/routes.ts';
import { createAgeSessions } from './features/age-sessions/service.ts';
import { createNodeAccess } from './features/biometric-node/node-access.ts';
import { isNodePath, nodeRefusalBody } from './features/biometric-node/node-refusal.ts';
import { allowPageOrigin } from './features/biometric-node/page-origin.ts';
import { registerNodeRoutes } from './features/biometric-node/routes.ts';
import { createBiometricNode } from './features/biometric-node/service.ts';
import { registerDemo } from './features/demo/routes.ts';
import { registerDeviceRoutes } from './features/device/routes.ts';
import { answers } from './features/front-door/health.ts';
import { registerFrontDoor } from './features/front-door/routes.ts';
import { registerModelRoutes } from './features/launch/model-routes.ts';
import { registerLaunchPage } from './features/launch/routes.ts';
import { openSanctions, type SanctionsTuning } from './features/sanctions/open-sanctions.ts';
import { registerSanctionsRoutes } from './features/sanctions/routes.ts';
import { registerStringRoutes } from './features/strings/routes.ts';
import { createStrings } from './features/strings/service.ts';
import { createStringStore } from './features/strings/store.ts';
import { registerVerificationDeviceRoutes } from './features/verification-sessions/device/device-routes.ts';
import { openVerification } from './features/verification-sessions/open-verification.ts';
import { registerVerificationSessionRoutes } from './features/verification-sessions/routes.ts';
import { registerWebhookDeliveryRoutes } from './features/webhook-deliveries/routes.ts';
import { keyHolderTuning } from './key-holder-tuning.ts';
import { type ApiKeys, createApiKeys } from './platform/api-keys/api-keys.ts';
import { createApiKeyStore } from './platform/api-keys/store.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Database } from './platform/database/database.ts';
import { describeForLog } from './platform/errors.ts';
import { registerHousekeeping, watchDisk } from './platform/housekeeping.ts';
import { createAccess } from './platform/http/access.ts';
import { openBearer } from './platform/http/bearer/open-bearer.ts';
import { createDoor } from './platform/http/door.ts';
import type { HttpServer } from './platform/http/http-server.ts';
import { createByteBudget } from './platform/http/limits/byte-budget.ts';
import { registerPageAssets } from './platform/http/pages/page.ts';
import { createPageFiles } from './platform/http/pages/page-files.ts';
import { describeApi, registerOpenApiRoute } from './platform/http/reference/openapi.ts';
import { registerReferencePage } from './platform/http/reference/reference-page.ts';
import { createHttpServer, type HttpTimeouts } from './platform/http/server.ts';
import { createMetrics, registerMetricsRoute } from './platform/http/watch/metrics.ts';
import { createReadiness, registerReadyRoute } from './platform/http/watch/readiness.ts';
import { createIdempotency } from './platform/idempotency/idempotency.ts';
import { createIds } from './platform/ids.ts';
import { createJobs, type Jobs } from './platform/jobs/jobs.ts';
import { createJobStore } from './platform/jobs/store.ts';
import { openStorage } from './platform/open-storage.ts';
import { VERSION } from './platform/version.ts';

/** Where `npm run build` puts it. */
const LAUNCH_PAGE_FOLDER = join(import.meta.dirname, '../../launch/dist');
const DEMO_PAGE_FOLDER = join(import.meta.dirname, '../../demo/dist');

/** What this version can serve. */
const SERVED_PARTS = ['core', 'node', 'launch'] as const;

export interface App {
  http: HttpServer;
  database: Database;
  apiKeys: ApiKeys;
  jobs: Jobs;
  /** Opens HOST and PORT, and resolves with the address to go to. */
  listen(): Promise<string>;
  /** Finishes what is in flight, refuses what is new, and closes everything. */
  close(): Promise<void>;
}

export interface AppOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
  timeouts?: HttpTimeouts;
  /** Memory, event loop and garbage collection in the metrics; once per process. */
  processMetrics?: boolean;
  /** Threads and intervals of the sanctions check; a test changes them. */
  sanctionsTuning?: SanctionsTuning;
  /** Whether the face models of the launch page are brought in once the service listens. */
  prepareModels?: boolean;
  /** What a person has for each movement; a test makes it shorter. */
  challengeMs?: number | undefined;
}

export async function createApp({
  config,
  log,
  clock = systemClock,
  timeouts,
  processMetrics = false,
  sanctionsTuning = {},
  prepareModels = false,
  challengeMs,
}: AppOptions): Promise<App> {
  const ids = createIds(clock);
  const { database, sealer, migrated } = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
    masterKey: config.MASTER_KEY,
    clock,
    ids,
    onConnectionError: (error) => log.warn(describeForLog(error), 'a database connection broke'),
    reserveBytes: config.DISK_RESERVE_MB * 2 ** 20,
    onRoomChange: (change) =>
      log[change === 'room again' ? 'info' : 'error']({ change }, 'the room on the disk changed'),
    patience: {
      forMs: config.DATABASE_WAIT_SECONDS * 1000,
      onWaiting: () =>
        log.warn({ seconds: config.DATABASE_WAIT_SECONDS }, 'waiting for the database, which does not answer'),
    },
  });
  try {
    if (migrated.length > 0) log.info({ migrations: migrated }, 'the schema is up to date');
    const apiKeys = createApiKeys({
      store: createApiKeyStore(database, sealer, log),
      sealer,
      clock,
      ids,
      allowDevelopmentKeys: !config.production,
    });
    const jobStore = createJobStore(database);
    const jobs = createJobs({ database, store: jobStore, sealer, clock, ids, log });
    const idempotency = createIdempotency({ database, sealer, clock });
    registerHousekeeping({ jobs, jobStore, database, idempotency, clock });

    const metrics = createMetrics(processMetrics);
    metrics.addGauge('limen_jobs', 'Background jobs by kind and state.', ['kind', 'state'], async (gauge) => {
      for (const { kind, state, count } of await jobStore.countByState()) gauge.set({ kind, state }, count);
    });
    const readiness = createReadiness();
    watchDisk({ folder: config.DATA_DIR, database, metrics, readiness });
    readiness.add('database', async () => ((await answers(database)) ? 'ready' : 'does not answer'));

    const http = createHttpServer({
      tls:
        config.TLS_CERT && config.TLS_KEY
          ? { certFile: config.TLS_CERT, keyFile: config.TLS_KEY, forGood: config.production }
          : undefined,
      trustProxy: config.TRUST_PROXY,
      addressRateLimit: config.RATE_LIMIT?.address,
      timeouts,
      refusalForm: (refusal, path) => (isNodePath(path) ? nodeRefusalBody(refusal) : undefined),
      metrics,
      log,
    });
    const door = createDoor(http, { host: config.HOST, port: config.PORT, secure: config.TLS_CERT !== undefined });
    await describeApi(http, VERSION);
    const access = createAccess(apiKeys, config.RATE_LIMIT?.key);
    const bearer = await openBearer(config, clock, log);
    registerReadyRoute(http, readiness);
    registerMetricsRoute(http, metrics, config.METRICS_TOKEN);
    registerOpenApiRoute(http);
    registerReferencePage(http);
    registerPageAssets(http);

    const launchOrigin = originOf(config.LAUNCH_URL ?? config.PUBLIC_URL);
    const servesCore = config.SERVE.has('core');
    const openAreas = (['strings', 'sanctions'] as const).filter(
      (area) => servesCore && !config.REQUIRE_API_KEY?.has(area),
    );
    const publicUrl = () => config.PUBLIC_URL ?? door.address();
    const hasDemo = !config.production && config.SERVE.has('core');
    registerFrontDoor(http, {
      ...{ database, clock, servesStrings: servesCore },
      describe: () => ({
        address: publicUrl(),
        database: database.engine === 'sqlite' ? 'SQLite file' : 'PostgreSQL',
        parts: SERVED_PARTS.filter((part) => config.SERVE.has(part)),
        openAreas,
        production: config.production,
        hasDemo,
      }),
    });
    if (config.SERVE.has('core')) {
      const store = createStringStore(database);
      const strings = createStrings({ database, store, idempotency, clock, ids, maxStrings: config.MAX_STRINGS });
      registerStringRoutes(http, {
        strings,
        access,
        replyBudget: createByteBudget(),
        closed: !openAreas.includes('strings'),
      });
    }
    const folder = createDatasetFolder(config.DATA_DIR);
    const sanctions = config.SERVE.has('core')
      ? openSanctions({ folder, clock, log, metrics, readiness, ...sanctionsTuning })
      : undefined;
    if (sanctions) {
      registerSanctionsRoutes(http, {
        sanctions: sanctions.service,
        access,
        log,
        closed: !openAreas.includes('sanctions'),
        takeMs: sanctionsTuning.takeMs,
      });
    }
    // The page ends sessions too: what they hang on is there with either part.
    const servesSessions = config.SERVE.has('core') || config.SERVE.has('launch');
    const signIn = servesSessions
      ? await openSignIn({
          ...{ url: config.KEYHOLDER_URL, secret: config.KEYHOLDER_SECRET, dataDir: config.DATA_DIR },
          ...keyHolderTuning(config),
          modelManifest: config.MODEL_MANIFEST,
          ...{ database, sealer, memoryMb: config.TOKEN_MEMORY_MB, maxPeople: config.MAX_PEOPLE, clock, ids, log },
          warm: prepareModels,
        })
      : undefined;
    if (signIn) {
      readiness.addOptional('keyholder', () => signIn.keyHolder.state());
      readiness.add('tokens', () => signIn.tokens.state());
    }
    const faces = config.SERVE.has('node')
      ? openPeople({
          ...(signIn && { settleTokens: signIn.tokens.settle }),
          vectorStore: config.VECTOR_STORE,
          matchThreshold: config.NODE_MATCH_THRESHOLD,
          maxEmbeddings: config.NODE_MAX_EMBEDDINGS,
          url: config.DATABASE_URL,
          dataDir: config.DATA_DIR,
          database,
          sealer,
          idempotency,
          clock,
          ids,
          log,
        })
      : undefined;
    if (faces) {
      const { people, index, store } = faces;
      readiness.add('faces', () => index.state());
      metrics.addGauge('limen_faces', 'Galleries, people and embeddings.', ['of'], async (gauge) => {
        const galleries = await store.listGalleries();
        gauge.set({ of: 'galleries' }, galleries.length);
        for (const { people: count, embeddings } of galleries) {
          gauge.inc({ of: 'people' }, count);
          gauge.inc({ of: 'embeddings' }, embeddings);
        }
      });
      registerRemovalLogPurge({ jobs, database, store, clock });
      // Split off from the launch page, the page's origin must be let in.
      if (!config.SERVE.has('launch') && launchOrigin) allowPageOrigin(http, launchOrigin, isNodePath);
      const node = createBiometricNode({ people, jobs, idempotency });
      metrics.addCounters(
        'limen_node_outcomes_total',
        'What enrolments, predictions and deletions came to.',
        'outcome',
        () => node.outcomes(),
      );
      registerNodeRoutes(http, {
        node,
        access: createNodeAccess(apiKeys, {
          perKey: { perSecond: config.NODE_RATE_LIMIT, burst: config.NODE_RATE_BURST },
          strangers: { perSecond: config.NODE_STRANGER_RATE_LIMIT, burst: config.NODE_STRANGER_RATE_BURST },
        }),
      });
      await index.prepare();
    }
    const models = config.SERVE.has('launch')
      ? await openModels({ folder: join(config.DATA_DIR, 'models'), manifestFile: config.MODEL_MANIFEST, log })
      : undefined;
    if (models && prepareModels) {
      readiness.addOptional('models', () => models.state());
      http.addHook('onListen', async () => models.start());
    }
    let demo: ReturnType<typeof registerDemo> | undefined;
    const outbox = servesSessions
      ? openWebhooks({
          ...{ database, jobs, sealer, apiKeys, clock, ids, log },
          allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
          timeoutMs: config.WEBHOOK_TIMEOUT_MS,
          logDays: config.DELIVERY_LOG_DAYS,
        })
      : undefined;
    if (outbox && signIn) {
      const { webhooks } = outbox;
      registerWebhookMetrics(metrics, webhooks, clock);
      const deviceChannels = createChannelStore(database, sealer);
      // Made anew each time, because the address may be known only when the service listens.
      const launchUrl = (sessionId: string) => {
        const url = new URL(config.LAUNCH_URL ?? `${publicUrl()}/launch`);
        url.searchParams.set('sessionId', sessionId);
        return url;
      };
      const devices = createPersonDevices({
        database,
        store: createPersonDeviceStore(database, sealer, log),
        clock,
        ids,
      });
      const sessions = createSessions({
        unfinished: [signIn.tokens, devices],
        ...{ database, store: createSessionStore(database), sealer, idempotency, webhooks, deviceChannels, clock, ids },
        retentionMs: config.RETENTION_HOURS * 60 * 60 * 1000,
      });
      const endSession = createEndSession({ database, sessions, webhooks });
      const closeChannel = (sessionId: string) => prepareClosing(deviceChannels, sessionId);
      const ttlMs = config.SESSION_TTL_SECONDS * 1000;
      const ageSessions = createAgeSessions({
        ...{ database, sessions, endSession, closeChannel, idempotency, clock, launchUrl, ttlMs },
      });
      const relyingParty = () => findRelyingParty(config, launchUrl(''));
      const passkeys = createPasskeys({
        ...{ store: createPasskeyStore(database, sealer, log), sealer, clock, log, relyingParty },
      });
      const verification = openVerification({
        ...{ database, sealer, sessions, webhooks, idempotency, clock, log },
        ...{ tokens: signIn.tokens, modelId: signIn.modelId, devices, passkeys },
        relyingParty,
        ...{ closeChannel, launchUrl, ttlMs, localSignIns: config.LOCAL_SIGN_INS, challengeMs },
      });
      const expire = new Map([
        ['age', ageSessions.expire] as const,
        ['verification', verification.service.expire] as const,
      ]);
      registerSessionTimers(jobs, createSessionTimers({ sessions, expire, log }));
      registerBoxTimer(jobs, deviceChannels, clock);
      if (config.SERVE.has('core')) {
        registerAgeSessionRoutes(http, { ageSessions, access, checkBearer: bearer?.check });
        registerVerificationSessionRoutes(http, { verificationSessions: verification.service, access });
        registerWebhookDeliveryRoutes(http, { webhooks, access });
      }
      if (hasDemo) {
        demo = registerDemo(http, {
          files: createPageFiles(DEMO_PAGE_FOLDER),
          baseUrl: publicUrl,
          async apiKey() {
            const record = await findDevelopmentKey(config, apiKeys);
            return record && apiKeys.reveal(record.id);
          },
          webhooksArrive: config.WEBHOOK_ALLOW_PRIVATE,
          stateOf: async (sessionId) => (await deviceChannels.look([sessionId]))[0]?.state,
          clock,
          ids,
        });
      }
      if (models) {
        const follow = createFollow({ look: deviceChannels.look, clock });
        const channel = createDeviceChannel({
          ...{ database, store: deviceChannels, sessions, clock, launchUrl },
          flows: new Map([
            ['age', createAgeDeviceFlow({ endSession, expire: ageSessions.expire, challengeMs })] as const,
            ['verification', verification.flow] as const,
          ]),
          modelManifest: models.readyHash,
          onChange(sessionId) {
            follow.nudge(sessionId);
            demo?.nudge(sessionId);
          },
        });
        metrics.addGauge('limen_device_streams', 'Pages that follow their session live.', [], async (gauge) => {
          gauge.set(follow.watchers());
        });
        registerDeviceRoutes(http, { channel, follow });
        registerVerificationDeviceRoutes(http, verification.callsOver(channel));
        const page = createPageFiles(LAUNCH_PAGE_FOLDER);
        if (!page.page) log.warn('the launch page is not built (npm run build): /launch answers 503');
        registerLaunchPage(http, { files: page, frameAncestors: config.FRAME_ANCESTORS });
        registerModelRoutes(http, models);
      }
    }
    await http.ready();
    sanctions?.start();
    const loading = faces?.index.load().catch((error) => log.error(describeForLog(error), 'loading the faces failed'));
    const loadingTokens = signIn?.tokens
      .load()
      .catch((error) => log.error(describeForLog(error), 'loading the face tokens failed'));
    const sync = startScheduledSync({ folder, hours: sanctions ? config.DATASET_SYNC_HOURS : 0, clock, log });

    return {
      http,
      database,
      apiKeys,
      jobs,
      listen: door.open,
      async close() {
        await http.close();
        await sync.stop();
        await models?.close();
        await sanctions?.close();
        await jobs.stop();
        await outbox?.close();
        await demo?.close();
        await bearer?.close();
        await faces?.index.close();
        await loading;
        await signIn?.close();
        await loadingTokens;
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : new URL(address).origin;
}
