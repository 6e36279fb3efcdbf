// Verification sessions as the service runs them: their end, their service, and what their devices may call.
import type { Logger } from 'pino';
import type { DeviceChannel } from '../../core/device-channel/channel.ts';
import type { ChannelClosing } from '../../core/device-channel/close-channel.ts';
import type { DeviceFlow } from '../../core/device-channel/device-flow.ts';
import type { Passkeys } from '../../core/passkeys/passkeys.ts';
import type { RelyingParty } from '../../core/passkeys/relying-party.ts';
import type { PersonDevices } from '../../core/person-devices/person-devices.ts';
import type { Sessions } from '../../core/sessions/sessions.ts';
import type { FaceTokens } from '../../core/tokens/face-tokens.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { createDebug } from './debug.ts';
import { createVerificationDeviceFlow } from './device/device-flow.ts';
import type { VerificationDeviceRoutes } from './device/device-routes.ts';
import { createLocalCalls } from './device/local-calls.ts';
import { createPasskeyCalls } from './device/passkey-calls.ts';
import { createSelfieCall } from './device/selfie-call.ts';
import { createTokenCalls } from './device/token-calls.ts';
import { createEndVerificationSession } from './end-session.ts';
import { createVerificationSessions, type VerificationSessions } from './service.ts';
import { createEvidenceStore } from './store.ts';
import { createVouching } from './vouching.ts';

interface OpenVerification {
  database: Database;
  sealer: Sealer;
  sessions: Sessions;
  webhooks: Pick<Webhooks, 'enqueue'>;
  tokens: FaceTokens;
  /** Of the embedding model, as tokens carry it. */
  modelId: string;
  devices: PersonDevices;
  passkeys: Passkeys;
  /** What passkeys are bound to. */
  relyingParty: () => RelyingParty;
  idempotency: Idempotency;
  closeChannel: (sessionId: string) => Promise<ChannelClosing | null>;
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
  localSignIns: number;
  challengeMs: number | undefined;
  clock: Clock;
  log: Logger;
}

export interface Verification {
  service: VerificationSessions;
  flow: DeviceFlow;
  /** What devices call besides what all sessions have. */
  callsOver(channel: Pick<DeviceChannel, 'take'>): VerificationDeviceRoutes;
}

export function openVerification(options: OpenVerification): Verification {
  const { database, sealer, tokens, devices, passkeys, localSignIns, log } = options;
  const evidence = createEvidenceStore(database, sealer);
  const vouching = createVouching({ devices, passkeys });
  const endSession = createEndVerificationSession({ ...options, evidence, vouching });
  const service = createVerificationSessions({ ...options, endSession, vouching });
  const flow = createVerificationDeviceFlow({
    ...options,
    endSession,
    expire: service.expire,
    galleryGuid: tokens.galleryGuid,
    evidence,
  });
  const debug = createDebug(log);
  return {
    service,
    flow,
    callsOver(channel) {
      const shared = { channel, evidence, tokens, devices, debug };
      return {
        token: createTokenCalls({ ...shared, database, vouching }),
        local: createLocalCalls({ ...shared, localSignIns }),
        passkey: createPasskeyCalls({ ...shared, passkeys }),
        sendSelfie: createSelfieCall(shared),
      };
    },
  };
}
