// Puts age sessions together: their end, their service, how they look to a device, and what devices may call.
import type { Proof } from '@limen/plan';
import type { AgeKeys } from '../../core/age-keys/age-keys.ts';
import type { LightChallenge } from '../../core/device-channel/answer/light-answer.ts';
import type { DeviceChannel } from '../../core/device-channel/channel.ts';
import type { DeviceFlow, MovementTuning } from '../../core/device-channel/device-flow.ts';
import { isPasskeyHost, type RelyingParty } from '../../core/passkeys/relying-party.ts';
import { createSessionEvidence } from '../../core/session-evidence/store.ts';
import type { SessionServiceParts } from '../../core/session-service/session-service.ts';
import type { Signing } from '../../core/signing/signing.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { Access } from '../../platform/http/access.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { createAgeKeyCalls } from './device/age-key-calls.ts';
import { createAgeDeviceFlow } from './device/device-flow.ts';
import { registerAgeDeviceRoutes } from './device/device-routes.ts';
import type { ProofEvidence } from './device/proof-evidence.ts';
import { createEndSession } from './end-session.ts';
import { registerAgeSessionRoutes } from './routes.ts';
import { createAgeSessions } from './service.ts';

interface OpenAgeSessions extends SessionServiceParts {
  http: HttpServer;
  access: Access;
  /** Undefined when no issuer of bearer tokens is configured. */
  bearer: Bearer | undefined;
  /** Whether hosts are served here, or only the page, which ends sessions too. */
  servesHosts: boolean;
  webhooks: Pick<Webhooks, 'enqueue'>;
  sealer: Sealer;
  ageKeys: AgeKeys;
  /** What age keys are bound to. */
  relyingParty: () => RelyingParty;
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
  movements: MovementTuning | undefined;
  signing: Signing;
}

export interface OpenedAgeSessions {
  flow: DeviceFlow<'age'>;
  /** Serves what devices call besides what all sessions have. */
  openDeviceCalls(channel: Pick<DeviceChannel, 'take' | 'offers'>): void;
}

export function openAgeSessions(options: OpenAgeSessions): OpenedAgeSessions {
  const { http, access, bearer, servesHosts, database, sealer, ageKeys, relyingParty, signing } = options;
  const evidence = createSessionEvidence<ProofEvidence>(database, sealer);
  const endSession = createEndSession({ ...options, evidence });
  const ageSessions = createAgeSessions({ ...options, endSession });
  if (servesHosts) registerAgeSessionRoutes(http, { ageSessions, access, checkBearer: bearer?.check, signing });
  // Browsers make passkeys for names only; a wallet has no verifier here yet.
  const offersProof = (proof: Proof) => proof === 'age_key' && isPasskeyHost(relyingParty().id);
  return {
    flow: createAgeDeviceFlow({ ...options, endSession, expire: ageSessions.expire, offersProof }),
    openDeviceCalls(channel) {
      registerAgeDeviceRoutes(http, createAgeKeyCalls({ channel, ageKeys, evidence, endSession }));
    },
  };
}
