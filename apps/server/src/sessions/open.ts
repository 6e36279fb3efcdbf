// Opens both kinds of sessions, and what hosts and devices do with them.

import type { SignIn } from '../faces/tokens/open-sign-in.ts';
import { findDevelopmentKey } from '../platform/api-keys/development-key.ts';
import type { Clock } from '../platform/base/clock.ts';
import type { Ids, SessionId } from '../platform/base/ids.ts';
import type { Foundation } from '../platform/context.ts';
import type { Access } from '../platform/http/access.ts';
import type { Bearer } from '../platform/http/bearer/bearer.ts';
import type { HttpServer } from '../platform/http/types.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';
import { READY } from '../platform/watch/readiness.ts';
import { findRelyingParty } from '../platform/webauthn/relying-party.ts';
import type { Activity } from '../records/activity/counts.ts';
import type { ReviewCases } from '../review/cases.ts';
import type { Signing } from '../signing/sign.ts';
import { openWebhookDeliveries } from '../webhooks/routes.ts';
import { openAgeSessions } from './age/open.ts';
import type { MovementTuning } from './device/flow.ts';
import { openDevice } from './device/open.ts';
import { openSessions } from './host/open.ts';
import type { SessionState } from './lifecycle/rules.ts';
import type { OpenedLaunch } from './page/open.ts';
import { openMyAgeKey } from './proofs/age-keys/routes.ts';
import { openWallets } from './proofs/wallets/open.ts';
import { openFinishedChecks } from './risk/finished-checks/open.ts';
import type { SessionSettings } from './settings.ts';
import { openVerification } from './verification/open.ts';

/** A host application that development shows next to the service; `tools/demo` has it. */
export type OpenDemo = (context: DemoContext) => {
  /** Asks for the state of a session that may have changed. */
  nudge(sessionId: SessionId): void;
  close(): Promise<void>;
};

export interface DemoContext {
  http: HttpServer;
  clock: Clock;
  ids: Ids;
  baseUrl: () => string;
  /** Returns the development key, or undefined if there is none. */
  apiKey: () => Promise<string | undefined>;
  /** Whether the service may call loopback. */
  webhooksArrive: boolean;
  stateOf: (sessionId: SessionId) => Promise<SessionState | undefined>;
}

interface SessionParts extends Foundation {
  settings: SessionSettings;
  http: HttpServer;
  access: Access;
  signIn: SignIn;
  /** Where the page is served here. */
  launch: OpenedLaunch | undefined;
  bearer: Bearer | undefined;
  /** Loaded in development only. */
  openDemo: OpenDemo | undefined;
  publicUrl: () => string;
  launchUrl: (sessionId: string) => URL;
  movements: MovementTuning | undefined;
  statusOutbound: Outbound | undefined;
  signing: Signing;
  cases: ReviewCases;
  activity: Activity;
}

export function openSessionParts(parts: SessionParts) {
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
  const demo = parts.openDemo?.({
    ...parts,
    baseUrl: publicUrl,
    async apiKey() {
      const record = await findDevelopmentKey(settings.developmentKey, apiKeys);
      return record && apiKeys.reveal(record.id);
    },
    webhooksArrive: settings.webhooks.allowPrivate,
    stateOf: async (sessionId) => (await deviceChannels.look([sessionId]))[0]?.state,
  });
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

export type OpenedSessionParts = ReturnType<typeof openSessionParts>;
