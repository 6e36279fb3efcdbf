// Sessions of every kind with what they hang on: device channels, webhooks, known devices, passkeys and age keys.

import type { SessionId } from '../../platform/ids.ts';
import type { Foundation } from '../../platform/open-foundation.ts';
import type { Activity } from '../activity/activity.ts';
import type { AgeKeys } from '../age-keys/age-keys.ts';
import { openAgeKeys } from '../age-keys/open-age-keys.ts';
import type { AgeKeyScope } from '../age-keys/rules.ts';
import { type ChannelClosing, prepareClosing } from '../device-channel/close-channel.ts';
import { type DeviceFlows, flowOf } from '../device-channel/device-flow.ts';
import { registerBoxTimer } from '../device-channel/handoff/box-timer.ts';
import { type ChannelStore, createChannelStore } from '../device-channel/store.ts';
import { createCeremony } from '../passkeys/ceremony.ts';
import { createPasskeys, type Passkeys } from '../passkeys/passkeys.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import { createPasskeyStore } from '../passkeys/store.ts';
import { createPersonDevices, type PersonDevices } from '../person-devices/person-devices.ts';
import { createPersonDeviceStore } from '../person-devices/store.ts';
import type { ReviewCases } from '../review/cases.ts';
import { createEmbedders, type Embedders } from '../sessions/embedders.ts';
import { SESSION_KINDS } from '../sessions/kinds/session-kinds.ts';
import type { AnySession } from '../sessions/session.ts';
import { createSessions, type Sessions } from '../sessions/sessions.ts';
import { createSessionStore } from '../sessions/store.ts';
import { createSessionTimers, registerSessionTimers } from '../sessions/timers.ts';
import type { FaceTokens } from '../tokens/face-tokens.ts';
import { openWebhooks, type WebhookSettings } from '../webhooks/open-webhooks.ts';
import { registerWebhookMetrics } from '../webhooks/webhook-metrics.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createReadEvidence } from './read-evidence.ts';
import { registerRetentionMetric } from './retention-metric.ts';

interface OpenSessions extends Omit<Foundation, 'readiness'> {
  tokens: FaceTokens;
  /** What passkeys are bound to; asked each time, because the address may be known only when the service listens. */
  relyingParty: () => RelyingParty;
  /** For keys that name no sites. */
  frameAncestors: readonly string[];
  retentionMs: number;
  cases: ReviewCases;
  activity: Activity;
  webhookSettings: WebhookSettings;
  ageKeyScope: AgeKeyScope;
}

export interface OpenedSessions {
  sessions: Sessions;
  deviceChannels: ChannelStore;
  /** What the channel of a session counted, and how it is closed with the end; null when there is none. */
  closeChannel: (sessionId: SessionId) => Promise<ChannelClosing | null>;
  webhooks: Webhooks;
  devices: PersonDevices;
  passkeys: Passkeys;
  ageKeys: AgeKeys;
  embedders: Embedders;
  /** Starts the timers, which end sessions as their kinds do. */
  keepTime(flows: DeviceFlows): void;
  close(): Promise<void>;
}

export function openSessions(options: OpenSessions): OpenedSessions {
  const { database, sealer, idempotency, jobs, metrics, tokens, relyingParty, retentionMs, clock, ids, log } = options;
  const { webhooks, close } = openWebhooks({ ...options, ...options.webhookSettings });
  registerWebhookMetrics(metrics, webhooks, clock);
  registerRetentionMetric(metrics, database, clock);
  const deviceChannels = createChannelStore(database, sealer);
  registerBoxTimer(jobs, deviceChannels, clock);
  const personDevices = createPersonDeviceStore(database, sealer, log);
  const devices = createPersonDevices({ database, store: personDevices, clock, ids });
  const passkeyStore = createPasskeyStore(database, sealer, log);
  const sessions = createSessions({
    database,
    store: createSessionStore(database),
    sealer,
    idempotency,
    webhooks,
    deviceChannels,
    cases: options.cases,
    readEvidence: createReadEvidence(database, sealer),
    unfinished: [tokens, devices],
    clock,
    ids,
    retentionMs,
  });
  const embedders = createEmbedders({ sessions, apiKeys: options.apiKeys, otherwise: options.frameAncestors, log });
  const ceremony = createCeremony(relyingParty);
  return {
    sessions,
    deviceChannels,
    closeChannel: (sessionId) => prepareClosing(deviceChannels, sessionId),
    webhooks,
    devices,
    passkeys: createPasskeys({ store: passkeyStore, sealer, ceremony, embedders, clock, log }),
    ageKeys: openAgeKeys({ ...options, scope: options.ageKeyScope, ceremony, embedders }),
    embedders,
    keepTime(flows) {
      const expire = (session: AnySession) => flowOf(flows, session).expire();
      registerSessionTimers(jobs, createSessionTimers({ sessions, kinds: SESSION_KINDS, expire, log }));
    },
    close,
  };
}
