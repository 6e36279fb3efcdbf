// Opens both kinds of sessions, and their routes for hosts and devices.
import type { Console } from '../console/door/console.ts';
import type { People } from '../faces/galleries/people.ts';
import type { SignIn } from '../faces/tokens/open-sign-in.ts';
import { findDevelopmentKey } from '../platform/api-keys/development-key.ts';
import type { Context } from '../platform/context.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';
import { READY } from '../platform/watch/readiness.ts';
import { findRelyingParty } from '../platform/webauthn/relying-party.ts';
import type { Activity } from '../records/activity.ts';
import type { ReviewCases } from '../review/cases.ts';
import type { ReviewDesk } from '../review/desk.ts';
import type { SigningDoor } from '../signing/open.ts';
import { registerWebhookDeliveryRoutes } from '../webhooks/routes.ts';
import { openAgeSessions } from './age/open.ts';
import { addPeopleConsole } from './console/people-routes.ts';
import { createDescribeSession } from './console/present.ts';
import { addSessionConsole } from './console/routes.ts';
import type { RetentionView } from './console/views.ts';
import { addWebhookConsole } from './console/webhook-routes.ts';
import type { OpenDemo } from './demo.ts';
import type { MovementTuning } from './device/flow.ts';
import { openDevice } from './device/open.ts';
import { openSessionCore } from './host/open.ts';
import { type LaunchSettings, openLaunch } from './page.ts';
import { registerMyAgeKeyRoutes } from './proofs/age-keys/routes.ts';
import { openWallets } from './proofs/wallets/open.ts';
import { openFinishedChecks } from './risk/finished-checks.ts';
import type { SessionSettings } from './settings.ts';
import { openVerification } from './verification/open.ts';

/** Settings that a test replaces. */
export interface SessionTuning {
  movements?: MovementTuning | undefined;
  /** Client that fetches the status lists of issuers. */
  statusOutbound?: Outbound | undefined;
}

interface OpenSessionSettings extends SessionSettings {
  /** Undefined if another process serves the launch page. */
  launch: LaunchSettings | undefined;
  retention: readonly RetentionView[];
  tuning: SessionTuning;
}

interface SessionNeighbors {
  signIn: SignIn;
  cases: ReviewCases;
  activity: Activity;
  publicUrl: () => string;
  launchUrl: (sessionId: string) => URL;
  /** Loaded in development only. */
  openDemo: OpenDemo | undefined;
}

export async function openSessions(
  context: Context,
  door: SigningDoor,
  settings: OpenSessionSettings,
  neighbors: SessionNeighbors,
) {
  const { apiKeys, clock, ids, log } = context;
  const { signIn, cases, activity, publicUrl, launchUrl } = neighbors;
  const { tokens, modelId } = signIn;
  const { movements, statusOutbound } = settings.tuning;
  const { http } = door;
  const launch = settings.launch && (await openLaunch(context, door, settings.launch));
  // Loaded only if an issuer is configured: the library takes a while to load.
  const { createBearer } = settings.bearer ? await import('../platform/http/bearer/bearer.ts') : {};
  const bearer = settings.bearer && createBearer?.({ ...settings.bearer, clock, log });
  const relyingParty = () => findRelyingParty(settings.relyingParty, launchUrl(''));
  const core = openSessionCore(context, settings, { tokens, relyingParty, cases, activity });
  const { sessions, deviceChannels, webhooks, ageKeys } = core;
  const origin = () => launchUrl('').origin;
  const { wallets, close: closeWallets } = openWallets(context, settings, { origin, statusOutbound });
  const finishedChecks = openFinishedChecks(context, settings.burstPerMinute);
  const shared = { core, cases, activity, finishedChecks, relyingParty, launchUrl, movements };
  const age = openAgeSessions(context, door, settings, { ...shared, wallets, bearer });
  const verification = openVerification(context, door, settings, { ...shared, tokens, modelId });
  const flows = { age: age.flow, verification: verification.flow };
  core.keepTime(flows);

  if (settings.webhooks.areHeld) {
    context.readiness.add('webhooks', () => `${READY}; held: none is sent (WEBHOOKS=hold)`);
  }
  if (settings.servesHosts) registerWebhookDeliveryRoutes(door, webhooks);
  const demo = neighbors.openDemo?.({
    http,
    clock,
    ids,
    baseUrl: publicUrl,
    async apiKey() {
      const record = await findDevelopmentKey(settings.developmentKey, apiKeys);
      return record && apiKeys.reveal(record.id);
    },
    webhooksArrive: settings.webhooks.allowPrivate,
    stateOf: async (sessionId) => (await deviceChannels.look([sessionId]))[0]?.state,
  });
  if (launch) {
    launch.openPage(core.embedders);
    const device = openDevice(context, door, settings, {
      store: deviceChannels,
      sessions,
      flows,
      launchUrl,
      modelManifest: launch.modelManifest,
      onChange: (sessionId) => demo?.nudge(sessionId),
    });
    age.openDeviceCalls(device);
    verification.openDeviceCalls(device);
    registerMyAgeKeyRoutes(http, ageKeys);
  }
  return {
    sessions,
    deviceChannels,
    webhooks,
    describeCase: createDescribeSession(context, sessions),
    addConsole(console: Console, { desk, people }: { desk: ReviewDesk; people: People }) {
      addSessionConsole(console, context, { sessions, deviceChannels, webhooks, desk });
      addPeopleConsole(console, context, { people, signing: door.signing, retention: settings.retention });
      addWebhookConsole(console, context, webhooks);
    },
    async close() {
      await launch?.close();
      await core.close();
      await closeWallets();
      await demo?.close();
      await bearer?.close();
    },
  };
}
