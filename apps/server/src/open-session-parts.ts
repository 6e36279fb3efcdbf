// Opens both kinds of sessions, and what hosts and devices do with them.

import { join } from 'node:path';
import type { Activity } from './core/activity/activity.ts';
import type { MovementTuning } from './core/device-channel/device-flow.ts';
import type { ChannelStore } from './core/device-channel/store.ts';
import { openFinishedChecks } from './core/finished-checks/open-finished-checks.ts';
import { findRelyingParty } from './core/passkeys/relying-party.ts';
import type { ReviewCases } from './core/review/cases.ts';
import { openSessions } from './core/session-service/open-sessions.ts';
import type { Sessions } from './core/sessions/sessions.ts';
import type { Signing } from './core/signing/signing.ts';
import type { SignIn } from './core/tokens/open-sign-in.ts';
import { openWallets } from './core/wallets/open-wallets.ts';
import type { Webhooks } from './core/webhooks/webhooks.ts';
import { findDevelopmentKey } from './development-key.ts';
import { openAgeSessions } from './features/age-sessions/open-age-sessions.ts';
import { openDemo } from './features/demo/open-demo.ts';
import { openDevice } from './features/device/open-device.ts';
import type { OpenedLaunch } from './features/launch/open-launch.ts';
import { openMyAgeKey } from './features/my-age-key/routes.ts';
import { openVerification } from './features/verification-sessions/open-verification.ts';
import { openWebhookDeliveries } from './features/webhook-deliveries/routes.ts';
import type { Access } from './platform/http/access.ts';
import type { Bearer } from './platform/http/bearer/bearer.ts';
import type { HttpServer } from './platform/http/http-server.ts';
import { createPageFiles } from './platform/http/pages/page-files.ts';
import { READY } from './platform/http/watch/readiness.ts';
import type { Foundation } from './platform/open-foundation.ts';
import type { Outbound } from './platform/outbound/guarded-fetch.ts';
import type { SessionSettings } from './session-settings.ts';

/** Where `npm run build` puts it. */
const DEMO_PAGE_FOLDER = join(import.meta.dirname, '../../demo/dist');

interface SessionParts extends Foundation {
  settings: SessionSettings;
  http: HttpServer;
  access: Access;
  signIn: SignIn;
  /** Where the page is served here. */
  launch: OpenedLaunch | undefined;
  bearer: Bearer | undefined;
  hasDemo: boolean;
  publicUrl: () => string;
  launchUrl: (sessionId: string) => URL;
  movements: MovementTuning | undefined;
  statusOutbound: Outbound | undefined;
  signing: Signing;
  cases: ReviewCases;
  activity: Activity;
}

export interface OpenedSessionParts {
  sessions: Sessions;
  deviceChannels: ChannelStore;
  webhooks: Webhooks;
  close(): Promise<void>;
}

export function openSessionParts(parts: SessionParts): OpenedSessionParts {
  const { settings, apiKeys, signIn, launch, publicUrl, launchUrl } = parts;
  const relyingParty = () => findRelyingParty(settings.relyingParty, launchUrl(''));
  const opened = openSessions({
    ...parts,
    tokens: signIn.tokens,
    relyingParty,
    frameAncestors: settings.frameAncestors,
    retentionMs: settings.retentionMs,
    webhookSettings: settings.webhooks,
    ageKeyScope: settings.ageKeyScope,
  });
  const { wallets, close: closeWallets } = openWallets({
    ...parts,
    dataDir: settings.dataDir,
    certificate: settings.walletCertificate,
    revocationChecks: settings.revocationChecks,
    origin: () => launchUrl('').origin,
  });
  const ofKind = {
    ...parts,
    ...opened,
    wallets,
    finishedChecks: openFinishedChecks({ ...parts, burstPerMinute: settings.burstPerMinute }),
    servesHosts: settings.servesHosts,
    ttlMs: settings.ttlMs,
    lightChallenge: settings.lightChallenge,
    trustsProxy: settings.trustsProxy,
    ageBound: settings.ageBound,
    relyingParty,
  };
  const age = openAgeSessions(ofKind);
  const verification = openVerification({
    ...ofKind,
    tokens: signIn.tokens,
    modelId: signIn.modelId,
    localSignIns: settings.localSignIns,
  });
  const flows = { age: age.flow, verification: verification.flow };
  opened.keepTime(flows);

  const { deviceChannels, webhooks } = opened;
  if (settings.webhooks.areHeld) {
    parts.readiness.add('webhooks', () => `${READY}; held: none is sent (WEBHOOKS=hold)`);
  }
  if (ofKind.servesHosts) openWebhookDeliveries({ ...parts, webhooks });
  const demo = parts.hasDemo
    ? openDemo({
        ...parts,
        files: createPageFiles(DEMO_PAGE_FOLDER),
        baseUrl: publicUrl,
        async apiKey() {
          const record = await findDevelopmentKey(settings.developmentKey, apiKeys);
          return record && apiKeys.reveal(record.id);
        },
        webhooksArrive: settings.webhooks.allowPrivate,
        stateOf: async (sessionId) => (await deviceChannels.look([sessionId]))[0]?.state,
      })
    : undefined;
  if (launch) {
    launch.openPage(opened.embedders);
    const channel = openDevice({
      ...parts,
      store: deviceChannels,
      sessions: opened.sessions,
      flows,
      trustsProxy: settings.trustsProxy,
      modelManifest: launch.modelManifest,
      onChange: (sessionId) => demo?.nudge(sessionId),
    });
    age.openDeviceCalls(channel);
    verification.openDeviceCalls(channel);
    openMyAgeKey({ ...parts, ageKeys: opened.ageKeys });
  }
  return {
    sessions: opened.sessions,
    deviceChannels,
    webhooks,
    async close() {
      await opened.close();
      await closeWallets();
      await demo?.close();
    },
  };
}
