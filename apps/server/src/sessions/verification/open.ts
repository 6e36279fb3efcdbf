// Puts verification sessions together: their end, their service, how they look to a device, and what devices may call.
import type { Logger } from 'pino';
import type { FaceTokens } from '../../faces/tokens/tokens.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Access } from '../../platform/http/access.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { RelyingParty } from '../../platform/webauthn/relying-party.ts';
import type { Activity } from '../../records/activity/counts.ts';
import type { Signing } from '../../signing/sign.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { LightChallenge } from '../device/answer/light.ts';
import type { DeviceChannel } from '../device/channel.ts';
import type { MovementTuning } from '../device/flow.ts';
import type { SessionServiceParts } from '../host/calls.ts';
import type { PersonDevices } from '../proofs/devices/devices.ts';
import type { Passkeys } from '../proofs/passkeys/passkeys.ts';
import type { FinishedChecks } from '../risk/finished-checks/finished-checks.ts';
import { createDebug } from './debug.ts';
import { createVerificationDeviceFlow } from './device/flow.ts';
import { createLocalCalls } from './device/local-calls.ts';
import { createPasskeyCalls } from './device/passkey-calls.ts';
import { registerVerificationDeviceRoutes } from './device/routes.ts';
import { createSelfieCall } from './device/selfie-call.ts';
import { createTokenCalls } from './device/token-calls.ts';
import { createEndVerificationSession } from './end-session.ts';
import { registerVerificationSessionRoutes } from './routes.ts';
import { createVerificationSessions } from './service.ts';
import { createEvidenceStore } from './store.ts';
import { createVouching } from './vouching.ts';

interface OpenVerification extends SessionServiceParts {
  http: HttpServer;
  access: Access;
  /** Whether hosts are served here, or only the page, which ends sessions too. */
  servesHosts: boolean;
  sealer: Sealer;
  webhooks: Pick<Webhooks, 'enqueue'>;
  activity: Pick<Activity, 'count'>;
  finishedChecks: Pick<FinishedChecks, 'examine'>;
  tokens: FaceTokens;
  /** Of the embedding model, as tokens carry it. */
  modelId: string;
  devices: PersonDevices;
  passkeys: Passkeys;
  /** What passkeys are bound to. */
  relyingParty: () => RelyingParty;
  launchUrl: (sessionId: SessionId) => URL;
  ttlMs: number;
  localSignIns: number;
  lightChallenge: LightChallenge;
  movements: MovementTuning | undefined;
  signing: Signing;
  log: Logger;
}

export function openVerification(options: OpenVerification) {
  const { http, access, servesHosts, database, sealer, tokens, devices, passkeys, localSignIns, signing, log } =
    options;
  const evidence = createEvidenceStore(database, sealer);
  const vouching = createVouching({ devices, passkeys });
  const endSession = createEndVerificationSession({ ...options, evidence, vouching });
  const verificationSessions = createVerificationSessions({ ...options, endSession, vouching });
  if (servesHosts) registerVerificationSessionRoutes(http, { verificationSessions, access, signing });
  const flow = createVerificationDeviceFlow({
    ...options,
    endSession,
    expire: verificationSessions.expire,
    galleryGuid: tokens.galleryGuid,
    evidence,
  });
  const debug = createDebug(log);
  return {
    flow,
    /** Serves what devices call besides what all sessions have. */
    openDeviceCalls(channel: Pick<DeviceChannel, 'take' | 'requireSession'>) {
      const shared = { channel, evidence, tokens, devices, debug };
      registerVerificationDeviceRoutes(http, {
        token: createTokenCalls({ ...shared, database, vouching }),
        local: createLocalCalls({ ...shared, localSignIns }),
        passkey: createPasskeyCalls({ ...shared, passkeys }),
        sendSelfie: createSelfieCall(shared),
        channel,
      });
    },
  };
}

export type OpenedVerification = ReturnType<typeof openVerification>;
