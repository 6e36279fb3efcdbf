// Puts verification sessions together: their end, their service, their device flow, and the calls of their devices.
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { Context } from '../../platform/context.ts';
import type { SigningDoor } from '../../signing/open.ts';
import type { DeviceCalls } from '../device/take-call.ts';
import type { KindNeighbors, KindSettings } from '../host/open.ts';
import { createDebug } from './debug.ts';
import { createEvidenceStore } from './device/evidence.ts';
import { createVerificationDeviceFlow } from './device/flow.ts';
import { createLocalCalls } from './device/local-calls.ts';
import { PasskeyCalls } from './device/passkey-calls.ts';
import { registerVerificationDeviceRoutes } from './device/routes.ts';
import { TokenCalls } from './device/token-calls.ts';
import { createEndVerificationSession } from './end-session.ts';
import { registerVerificationSessionRoutes } from './routes.ts';
import { createVerificationSessions } from './service.ts';
import { createVouching } from './vouching.ts';

interface VerificationSettings extends KindSettings {
  localSignIns: number;
}

interface VerificationNeighbors extends KindNeighbors {
  tokens: FaceTokens;
  /** Id of the embedding model, as tokens carry it. */
  modelId: string;
}

export function openVerification(
  context: Context,
  door: SigningDoor,
  settings: VerificationSettings,
  neighbors: VerificationNeighbors,
) {
  const { database, sealer, log } = context;
  const { servesHosts, ttlMs, lightChallenge, localSignIns } = settings;
  const { core, cases, relyingParty, launchUrl, movements, tokens, modelId } = neighbors;
  const { sessions, devices, passkeys } = core;
  const evidence = createEvidenceStore(database, sealer);
  const vouching = createVouching(devices, passkeys);
  const endSession = createEndVerificationSession(context, core, { ...neighbors, evidence, vouching });
  const hosts = { cases, endSession, tokens, vouching, relyingParty, launchUrl, ttlMs, lightChallenge };
  const service = createVerificationSessions(context, core, hosts);
  if (servesHosts) registerVerificationSessionRoutes(door, service);
  const { galleryGuid } = tokens;
  const facts = { evidence, galleryGuid, modelId, lightChallenge, movements };
  return {
    flow: createVerificationDeviceFlow({ endSession, expire: service.expire, ...facts }),

    /** Serves the calls that only devices of verification sessions make. */
    openDeviceCalls({ calls }: { calls: DeviceCalls }) {
      const shared = { calls, evidence, tokens, devices, debug: createDebug(log) };
      registerVerificationDeviceRoutes(door.http, {
        token: new TokenCalls({ ...shared, database, vouching }),
        local: createLocalCalls({ ...shared, localSignIns }),
        passkey: new PasskeyCalls({ ...shared, passkeys }),
        sessions,
      });
    },
  };
}
