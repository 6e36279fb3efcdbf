// Composition root: opens every part of the service, and closes them in order.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, contextSettings, httpSettings } from './config.ts';
import { openConsole } from './console/open.ts';
import { createOperators } from './console/operators/operators.ts';
import { consoleSettings, findConsoleAddress } from './console/settings.ts';
import { isNodePath, nodeRefusalBody } from './faces/node/replies.ts';
import { openFaces } from './faces/open.ts';
import { facesSettings, modelsFolder } from './faces/settings.ts';
import { addOperationsConsole, openFrontDoor } from './operations/open.ts';
import { findAddresses, frontDoorSettings, retentionSettings } from './operations/settings.ts';
import { findNewestTime } from './operations/start/newest-time.ts';
import { type Clock, systemClock } from './platform/base/clock.ts';
import { type Context, openContext } from './platform/context.ts';
import { type HttpHooks, openHttp } from './platform/http/open.ts';
import { createPageFiles } from './platform/http/pages/files.ts';
import { openRecords } from './records/open.ts';
import { addReviewConsole } from './review/console/routes.ts';
import { openReview, openReviewDesk } from './review/open.ts';
import { reviewSettings } from './review/settings.ts';
import { createHitCases } from './screening/console/describe-case.ts';
import { openScreening, type ScreeningTuning } from './screening/open.ts';
import { screeningSettings } from './screening/settings.ts';
import { isYentePath, yenteRefusalBody } from './screening/yente/refusal.ts';
import type { OpenDemo } from './sessions/demo.ts';
import { forgetSessionsOfPerson } from './sessions/host/forget-person.ts';
import { openSessions, type SessionTuning } from './sessions/open.ts';
import { sessionSettings } from './sessions/settings.ts';
import { openSigning } from './signing/open.ts';
import { openStrings } from './strings/routes.ts';

const PAGE_FOLDER = join(import.meta.dirname, '../../launch/dist');
const CONSOLE_FOLDER = join(import.meta.dirname, '../../console/dist');

export type App = Awaited<ReturnType<typeof createApp>>;

export interface AppTuning extends SessionTuning {
  /** Clock that is used without comparing it with the database */
  clock?: Clock | undefined;
  /** Clock that decides when jobs are due. If it is ahead of `clock`, no other process takes them. */
  jobClock?: Clock | undefined;
  timeouts?: HttpHooks['timeouts'] | undefined;
  screening?: ScreeningTuning | undefined;
}

export interface AppOptions {
  config: Config;
  log: Logger;
  tuning?: AppTuning;
  /** Whether the metrics include memory, event loop and garbage collection; once per process */
  processMetrics?: boolean;
  /** Whether the face models of the launch page are prepared after the start */
  prepareModels?: boolean;
  /** Called if this process cannot continue, because a newer version removed something that it needs */
  onOutgrown?: (error: Error) => void;
  openDemo?: OpenDemo | undefined;
}

export async function createApp(options: AppOptions) {
  const { config, log, tuning: { clock, jobClock } = {}, processMetrics, onOutgrown } = options;
  const hooks = { clock, jobClock, findNewestTime, processMetrics, onOutgrown, log };
  const context = await openContext(contextSettings(config), hooks);
  try {
    return await openParts(context, options);
  } catch (error) {
    await closeContext(context);
    throw error;
  }
}

async function openParts(context: Context, { config, tuning = {}, prepareModels = false, ...options }: AppOptions) {
  const { database, apiKeys, jobs, readiness } = context;
  const [servesCore, servesLaunch] = [config.SERVE.has('core'), config.SERVE.has('launch')];
  const servesConsole = findConsoleAddress(config) !== undefined;
  const openDemo = servesCore && !config.production ? options.openDemo : undefined;

  const listening = await openHttp(context, httpSettings(config), { timeouts: tuning.timeouts, refusalForm });
  const { publicUrl, launchUrl, pageOrigin } = findAddresses(config, listening);
  const consoleUrl = () => findConsoleAddress(config, listening);
  const door = await openSigning(context, listening, publicUrl);
  const front = { publicUrl, consoleUrl, hasDemo: openDemo !== undefined };
  openFrontDoor(context, door, { ...frontDoorSettings(config), ...front });
  if (servesCore) {
    const max = { rows: config.MAX_STRINGS, bytes: config.MAX_STRINGS_MB * 2 ** 20 };
    openStrings(context, door, { max, closed: config.REQUIRE_API_KEY.has('strings') });
  }
  const screening = servesCore
    ? openScreening(context, door, { ...screeningSettings(config), tuning: tuning.screening })
    : undefined;
  const endsSessions = servesCore || servesLaunch || servesConsole;
  const otherPage = servesLaunch ? undefined : pageOrigin;
  const faces = await openFaces(
    context,
    door,
    { ...facesSettings(config), endsSessions, deletesPeople: servesConsole, prepareModels, pageOrigin: otherPage },
    { onRemove: forgetSessionsOfPerson(context) },
  );
  const operators = createOperators(context);
  const { activity, record } = openRecords(context);
  const review = openReview(context, reviewSettings(config));
  const { cases } = review;
  const models = { modelsFolder: modelsFolder(config), modelManifest: config.MODEL_MANIFEST, prepareModels };
  const launch = servesLaunch ? { files: createPageFiles(PAGE_FOLDER), ...models } : undefined;
  const { signIn, people } = faces;
  const retention = retentionSettings(config);
  const sessions =
    signIn &&
    (await openSessions(
      context,
      door,
      { ...sessionSettings(config), launch, retention, tuning },
      { signIn, cases, activity, publicUrl, launchUrl, openDemo },
    ));
  const webhooks = sessions?.webhooks;
  const watched = webhooks && screening?.watch({ webhooks, cases });
  const desk =
    webhooks && openReviewDesk(context, reviewSettings(config), { ...review, webhooks, watched: watched?.hits });
  if (servesConsole && sessions && desk && people) {
    const files = createPageFiles(CONSOLE_FOLDER);
    const hasScreening = watched !== undefined;
    const settings = { ...consoleSettings(config), files, consoleUrl: () => consoleUrl()!, hasScreening };
    const room = await openConsole(context, door, settings, { operators });
    sessions.addConsole(room, { desk, people });
    const { describeCase: describeSession } = sessions;
    addReviewConsole(room, context, { desk, operators, describeSession, hits: createHitCases(watched) });
    if (watched) screening?.addConsole(room, { watched, desk });
    // Loaded at the first call, because most services never need it.
    const examine = async () =>
      (await import('./operations/doctor/examine.ts')).examine(config, tuning.clock ?? systemClock);
    addOperationsConsole(room, context, { dataDir: config.DATA_DIR }, { activity, examine });
  }

  await listening.http.ready();
  screening?.start();
  faces.start();

  return {
    http: listening.http,
    database,
    apiKeys,
    jobs,
    operators,
    activity,
    desk,
    deviceChannels: sessions?.deviceChannels,
    record,
    /** Opens HOST and PORT, and resolves with the address to visit. */
    listen: () => listening.listen(),
    /** Reads TLS_CERT and TLS_KEY again; undefined without TLS. */
    reloadCertificate: listening.reloadCertificate,
    /** Makes `/ready` refuse, so that proxies send no more requests. All requests are still served. */
    refuseReadiness: () => readiness.add('service', () => 'stopping'),
    async close() {
      await listening.http.close();
      await jobs.stop();
      await screening?.close();
      await sessions?.close();
      await activity.close();
      await faces.close();
      await closeContext(context);
    },
  };
}

async function closeContext({ database, tracing }: Context): Promise<void> {
  await database.close();
  await tracing?.close();
}

const refusalForm: HttpHooks['refusalForm'] = (refusal, path) => {
  if (isNodePath(path)) return nodeRefusalBody(refusal);
  return isYentePath(path) ? yenteRefusalBody(refusal) : undefined;
};
