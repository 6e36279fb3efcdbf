// Composition root: every part of the service is opened here and handed what it needs.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openConsole } from './console/open.ts';
import { openIdentities } from './console/operators/identities.ts';
import { createOperators, type Operators } from './console/operators/operators.ts';
import { createOperatorStore } from './console/operators/store.ts';
import { consoleAddressOf } from './console/settings.ts';
import { openPeople } from './faces/galleries/open.ts';
import { openBiometricNode } from './faces/node/open.ts';
import { isNodePath, nodeRefusalBody } from './faces/node/refusal.ts';
import { modelsFolder, nodeLimits, peopleSettings, signInSettings } from './faces/settings.ts';
import { openSignIn } from './faces/tokens/open-sign-in.ts';
import { addBackupMetrics } from './operations/backup/last.ts';
import { addOverviewConsole } from './operations/console/overview-routes.ts';
import { addSystemConsole } from './operations/console/routes.ts';
import { openFrontDoor } from './operations/front-door/open.ts';
import { listOpenAreas, retentionSettings } from './operations/settings.ts';
import { findAddresses } from './operations/start/addresses.ts';
import type { ApiKeys } from './platform/api-keys/api-keys.ts';
import { type Clock, systemClock } from './platform/base/clock.ts';
import { openFoundation } from './platform/context.ts';
import type { Database } from './platform/database/database.ts';
import { makeFolder } from './platform/files/folder.ts';
import { openBearer } from './platform/http/bearer/open.ts';
import { openHttp } from './platform/http/open.ts';
import { createPageFiles } from './platform/http/pages/files.ts';
import type { HttpTimeouts } from './platform/http/server.ts';
import type { HttpServer } from './platform/http/types.ts';
import { forgetUntrustedProxy, noteUntrustedProxy, UNTRUSTED_PROXY } from './platform/http/untrusted-proxy.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import type { Outbound } from './platform/outbound/guarded-fetch.ts';
import { editedRows } from './platform/sealing/edited-rows.ts';
import { httpSettings, storageSettings, tracingSettings } from './platform/settings/for-platform.ts';
import type { Activity } from './records/activity/counts.ts';
import { openActivity } from './records/activity/open.ts';
import { openAudit } from './records/audit/open.ts';
import { type RecordAct, recordAsCommandLine } from './records/audit/record.ts';
import { addReviewConsole } from './review/console/routes.ts';
import { createReviewDesk, type ReviewDesk } from './review/desk.ts';
import { keepReviewTime, openReview } from './review/open.ts';
import { reviewSettings } from './review/settings.ts';
import { createHitCases } from './screening/console/describe-case.ts';
import { addScreeningConsole } from './screening/console/routes.ts';
import { addSubjectConsole } from './screening/console/subject-routes.ts';
import { openSanctions, type SanctionsTuning } from './screening/open.ts';
import { openWatching } from './screening/subjects/open.ts';
import { openWatchedSubjects } from './screening/subjects/routes.ts';
import { openYente } from './screening/yente/open.ts';
import { isYentePath, yenteRefusalBody } from './screening/yente/refusal.ts';
import { createDescribeSession } from './sessions/console/describe-case.ts';
import { addPeopleConsole } from './sessions/console/people-routes.ts';
import { addSessionConsole } from './sessions/console/routes.ts';
import { addWebhookConsole } from './sessions/console/webhook-routes.ts';
import type { MovementTuning } from './sessions/device/flow.ts';
import type { ChannelStore } from './sessions/device/store.ts';
import { forgetSessionsOfPerson } from './sessions/host/forget-person.ts';
import { type OpenDemo, openSessionParts } from './sessions/open.ts';
import { openLaunch } from './sessions/page/open.ts';
import { createTrustFolder } from './sessions/proofs/wallets/trust/folder.ts';
import { sessionSettings } from './sessions/settings.ts';
import { openSigning } from './signing/open.ts';
import { registerSigningKeyRoutes } from './signing/routes.ts';
import { openStrings } from './strings/open.ts';

/** Where `npm run build` puts them. */
const PAGE_FOLDER = join(import.meta.dirname, '../../launch/dist');
const CONSOLE_FOLDER = join(import.meta.dirname, '../../console/dist');

/** What this version can serve. */
const SERVED_PARTS = ['core', 'node', 'launch', 'console'] as const;

export interface App {
  http: HttpServer;
  database: Database;
  apiKeys: ApiKeys;
  operators: Operators;
  /** What is counted for the overview. */
  activity: Activity;
  /** What devices told; undefined where there are no sessions. */
  deviceChannels: ChannelStore | undefined;
  /** The desk at which reviewers decide cases; undefined if this process has no sessions. */
  desk: ReviewDesk | undefined;
  /** Puts on record what whoever has the machine does. */
  record: RecordAct;
  /** Started by whoever runs the service, once it listens. */
  jobs: Jobs;
  /** Opens HOST and PORT, and resolves with the address to go to. */
  listen(): Promise<string>;
  /** Reads TLS_CERT and TLS_KEY again; new connections get what they hold. Undefined without TLS. */
  reloadCertificate: (() => void) | undefined;
  /** Makes `/ready` refuse, so that proxies send no more requests; those that come are served. */
  refuseReadiness(): void;
  /** Finishes what is in flight, refuses what is new, and closes everything. */
  close(): Promise<void>;
}

export interface AppOptions {
  config: Config;
  log: Logger;
  /** Clock that nothing is compared with; in a test. */
  clock?: Clock;
  /** By which jobs are due, where it is another: ahead of it, no process beside this one takes them. */
  jobClock?: Clock;
  timeouts?: HttpTimeouts;
  /** Memory, event loop and garbage collection in the metrics; once per process. */
  processMetrics?: boolean;
  /** Threads and intervals of the sanctions check; a test changes them. */
  sanctionsTuning?: SanctionsTuning;
  /** Whether the face models of the launch page are brought in once the service listens. */
  prepareModels?: boolean;
  /** Told when this process cannot go on, because a newer version has taken away what it needs. */
  onOutgrown?: (error: Error) => void;
  movements?: MovementTuning | undefined;
  /** The demo of a development checkout. */
  openDemo?: OpenDemo | undefined;
  /** What fetches the status lists of issuers; a test has lists of its own. */
  statusOutbound?: Outbound | undefined;
}

export async function createApp(options: AppOptions): Promise<App> {
  const { config, log, prepareModels = false, sanctionsTuning = {} } = options;
  // On PostgreSQL and with keys from the environment nothing else makes it before it is written to and its disk is watched.
  makeFolder(config.DATA_DIR);
  const servesCore = config.SERVE.has('core');
  const servesLaunch = config.SERVE.has('launch');
  const servesConsole = consoleAddressOf(config) !== undefined;
  const openDemo = servesCore && !config.production ? options.openDemo : undefined;
  const openAreas = listOpenAreas(config);

  const foundation = await openFoundation({
    ...storageSettings(config),
    databaseWaitSeconds: config.DATABASE_WAIT_SECONDS,
    allowDevelopmentKeys: !config.production,
    processMetrics: options.processMetrics ?? false,
    clock: options.clock,
    jobClock: options.jobClock,
    tracing: tracingSettings(config),
    onOutgrown: options.onOutgrown,
    log,
  });
  const { database, apiKeys, jobs, clock } = foundation;
  try {
    forgetUntrustedProxy(config.DATA_DIR);
    const { http, door, access, reloadCertificate } = await openHttp({
      ...foundation,
      ...httpSettings(config),
      onUntrustedProxy() {
        log.warn(UNTRUSTED_PROXY);
        void noteUntrustedProxy(config.DATA_DIR);
      },
      timeouts: options.timeouts,
      refusalForm: (refusal, path) => {
        if (isNodePath(path)) return nodeRefusalBody(refusal);
        return isYentePath(path) ? yenteRefusalBody(refusal) : undefined;
      },
    });
    const { publicUrl, launchUrl, pageOrigin } = findAddresses(config, door);
    const { signing, signingKeys } = await openSigning({ ...foundation, publicUrl });
    registerSigningKeyRoutes(http, signingKeys);
    const shared = { ...foundation, http, access, signing };
    addBackupMetrics(foundation.metrics, database, clock);
    const help = 'Rows that were found edited in the database since the start.';
    foundation.metrics.addCounters('limen_edited_rows_total', help, 'table', editedRows);

    openFrontDoor({
      ...shared,
      servesStrings: servesCore,
      publicUrl,
      consoleUrl: () => consoleAddressOf(config, door),
      parts: SERVED_PARTS.filter((part) => config.SERVE.has(part) && (part !== 'console' || servesConsole)),
      openAreas,
      production: config.production,
      hasDemo: openDemo !== undefined,
    });
    if (servesCore) {
      openStrings({
        ...shared,
        max: { rows: config.MAX_STRINGS, bytes: config.MAX_STRINGS_MB * 2 ** 20 },
        closed: !openAreas.includes('strings'),
      });
    }
    const sanctions = servesCore
      ? openSanctions({
          ...shared,
          ...sanctionsTuning,
          dataDir: config.DATA_DIR,
          syncHours: config.DATASET_SYNC_HOURS,
          closed: !openAreas.includes('sanctions'),
        })
      : undefined;
    if (sanctions) openYente({ ...shared, ...sanctions.screening, closed: !openAreas.includes('sanctions') });

    // Both pages end sessions too: what they hang on is there with any of these parts.
    const signIn =
      servesCore || servesLaunch || servesConsole
        ? await openSignIn({ ...signInSettings(config), ...shared, warm: prepareModels })
        : undefined;
    const onRemove = forgetSessionsOfPerson(foundation);
    const node = config.SERVE.has('node')
      ? await openBiometricNode({
          ...shared,
          ...peopleSettings(config),
          onRemove,
          limits: nodeLimits(config),
          settleTokens: signIn?.tokens.settle,
          pageOrigin: servesLaunch ? undefined : pageOrigin,
        })
      : undefined;
    // Who only deletes needs an index that holds nothing.
    const deletions =
      servesConsole && !node
        ? openPeople({ ...shared, ...peopleSettings(config), onRemove, settleTokens: signIn?.tokens.settle })
        : undefined;
    const launch = servesLaunch
      ? await openLaunch({
          ...shared,
          files: createPageFiles(PAGE_FOLDER),
          modelsFolder: modelsFolder(config),
          modelManifest: config.MODEL_MANIFEST,
          prepareModels,
        })
      : undefined;
    const bearer = await openBearer(config, clock, log);
    const operators = createOperators({ ...foundation, store: createOperatorStore(database, foundation.sealer, log) });
    const activity = openActivity(foundation);
    const review = openReview({ ...foundation, ...reviewSettings(config) });
    const sessions =
      signIn &&
      openSessionParts({
        ...shared,
        settings: sessionSettings(config),
        signIn,
        launch,
        bearer,
        openDemo,
        publicUrl,
        launchUrl,
        movements: options.movements,
        cases: review.cases,
        statusOutbound: options.statusOutbound,
        activity,
      });
    if (sessions) keepReviewTime(review.store, foundation);

    const watched =
      sanctions &&
      sessions &&
      openWatching({
        ...{ ...shared, ...sanctions.screening, webhooks: sessions.webhooks, cases: review.cases },
        maxSubjects: config.MAX_SUBJECTS,
      });
    if (sanctions && watched) openWatchedSubjects({ ...shared, watched, requireDataset: sanctions.requireDataset });

    const desk =
      sessions &&
      createReviewDesk({
        ...foundation,
        ...review,
        ...reviewSettings(config),
        webhooks: sessions.webhooks,
        watched,
      });
    if (servesConsole && sessions && desk) {
      const room = openConsole(foundation, http, {
        files: createPageFiles(CONSOLE_FOLDER),
        consoleUrl: () => consoleAddressOf(config, door)!,
        identities: await openIdentities(config),
        auditDays: config.AUDIT_DAYS,
        operators,
        hasScreening: watched !== undefined,
      });
      const { people } = (node ?? deletions)!;
      addSessionConsole(room, foundation, { ...sessions, desk });
      addPeopleConsole(room, foundation, { people, signing, retention: retentionSettings(config) });
      addWebhookConsole(room, foundation, sessions.webhooks);
      addOverviewConsole(room, foundation, activity);
      const describeSession = createDescribeSession(foundation, sessions.sessions);
      addReviewConsole(room, foundation, { desk, operators, describeSession, hits: createHitCases(watched) });
      addSystemConsole(room, foundation, {
        // Loaded at the first call: most services never need it.
        examine: async () =>
          (await import('./operations/doctor/examine.ts')).examine(config, options.clock ?? systemClock),
        trust: createTrustFolder(config.DATA_DIR),
      });
      if (sanctions && watched) {
        const { screening, requireDataset } = sanctions;
        addScreeningConsole(room, foundation, { ...screening, requireDataset, syncHours: config.DATASET_SYNC_HOURS });
        addSubjectConsole(room, foundation, { watched, desk });
      }
    }

    await http.ready();
    sanctions?.start();
    node?.start();
    signIn?.start();

    return {
      http,
      database,
      apiKeys,
      operators,
      activity,
      deviceChannels: sessions?.deviceChannels,
      desk,
      record: recordAsCommandLine(openAudit(foundation).audit),
      jobs,
      listen: door.open,
      reloadCertificate,
      refuseReadiness: () => foundation.readiness.add('service', () => 'stopping'),
      async close() {
        await http.close(); // what is in flight is finished, and nothing new comes in
        await launch?.close();
        await jobs.stop();
        await sanctions?.close();
        await sessions?.close();
        await activity.close();
        await bearer?.close();
        await node?.close();
        await deletions?.index.close();
        await signIn?.close();
        await database.close();
        await foundation.tracing?.close();
      },
    };
  } catch (error) {
    await database.close();
    await foundation.tracing?.close();
    throw error;
  }
}
