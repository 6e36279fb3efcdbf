// Puts together what both kinds of sessions use: device channels, webhooks, known devices, passkeys and age keys.
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import { createCeremony } from '../../platform/webauthn/ceremony.ts';
import type { RelyingParty } from '../../platform/webauthn/relying-party.ts';
import type { Activity } from '../../records/activity.ts';
import type { ReviewCases } from '../../review/cases.ts';
import { openWebhooks } from '../../webhooks/open.ts';
import { type DeviceFlows, type MovementTuning, selectFlow } from '../device/flow.ts';
import { createChannelStore, registerBoxTimer } from '../device/store.ts';
import { prepareClosing } from '../device/turns.ts';
import { createEmbedders } from '../lifecycle/embedders.ts';
import { SESSION_KINDS } from '../lifecycle/kinds.ts';
import type { AnySession } from '../lifecycle/session.ts';
import { Sessions } from '../lifecycle/sessions.ts';
import { createSessionStore } from '../lifecycle/store.ts';
import { startSessionTimers } from '../lifecycle/timers.ts';
import { openAgeKeys } from '../proofs/age-keys/age-keys.ts';
import { PersonDevices } from '../proofs/devices.ts';
import { Passkeys } from '../proofs/passkeys.ts';
import type { FinishedChecks } from '../risk/finished-checks.ts';
import type { SessionSettings } from '../settings.ts';
import { createReadEvidence } from './read-evidence.ts';

export function openSessionCore(context: Context, settings: SessionSettings, neighbors: CoreNeighbors) {
  const { database, sealer, jobs, metrics, clock, log } = context;
  const { retentionMs, frameAncestors, ageKeyScope } = settings;
  const { tokens, cases, activity } = neighbors;
  const { webhooks, close } = openWebhooks(context, settings.webhooks, { activity });
  registerRetentionMetric(metrics, database, clock);
  const deviceChannels = createChannelStore(database, sealer);
  registerBoxTimer(jobs, deviceChannels, clock);
  const devices = new PersonDevices(context);
  const readEvidence = createReadEvidence(database, sealer);
  const hangingOn = { webhooks, deviceChannels, cases, readEvidence, unfinished: [tokens, devices] };
  const sessions = new Sessions(context, createSessionStore(database), hangingOn, retentionMs);
  const embedders = createEmbedders(context, sessions, frameAncestors);
  const ceremony = createCeremony(neighbors.relyingParty);
  return {
    sessions,
    deviceChannels,
    closeChannel: (sessionId: SessionId) => prepareClosing(deviceChannels, sessionId),
    webhooks,
    devices,
    passkeys: new Passkeys(context, ceremony, embedders),
    ageKeys: openAgeKeys(context, { scope: ageKeyScope, ceremony, embedders }),
    embedders,
    keepTime(flows: DeviceFlows) {
      const expire = (session: AnySession) => selectFlow(flows, session).expire();
      startSessionTimers({ jobs, log }, sessions, SESSION_KINDS, expire);
    },
    close,
  };
}

export type SessionCore = ReturnType<typeof openSessionCore>;

interface CoreNeighbors {
  cases: ReviewCases;
  activity: Activity;
  tokens: FaceTokens;
  /** Read at each use, because the address may be known only when the service listens. */
  relyingParty: () => RelyingParty;
}

export interface KindNeighbors extends Omit<CoreNeighbors, 'tokens'> {
  core: SessionCore;
  finishedChecks: FinishedChecks;
  launchUrl: (sessionId: string) => URL;
  movements: MovementTuning | undefined;
}

/** Each minimum is the first entry of the index that the purge uses. */
function registerRetentionMetric(metrics: Metrics, { queries }: Pick<Database, 'queries'>, clock: Clock): void {
  const help = 'How long the oldest row of a kind is past the time at which it has to be deleted; 0 without one.';
  metrics.addGauge('limen_retention_late_seconds', help, ['kind'], async (gauge) => {
    const oldest = await queries
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('sessions')
          .select(({ fn }) => fn.min('purge_at').as('at'))
          .where('purge_at', 'is not', null)
          .as('session'),
        selectFrom('webhook_deliveries')
          .select(({ fn }) => fn.min('purge_at').as('at'))
          .where('sealed', 'is not', null)
          .as('webhook_body'),
        selectFrom('review_cases')
          .select(({ fn }) => fn.min('purge_at').as('at'))
          .where('purge_at', 'is not', null)
          .as('case'),
        selectFrom('idempotency_keys')
          .select(({ fn }) => fn.min('expires_at').as('at'))
          .as('reply'),
      ])
      .executeTakeFirstOrThrow();
    const now = clock.now();
    for (const [kind, at] of Object.entries(oldest)) gauge.set({ kind }, Math.max(0, (now - (at ?? now)) / 1000));
  });
}
