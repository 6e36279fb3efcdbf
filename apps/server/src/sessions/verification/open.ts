// Puts verification sessions together: their end, their service, their device flow, and the calls of their devices.
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { Context } from '../../platform/context.ts';
import type { SigningDoor } from '../../signing/open.ts';
import type { DeviceCalls } from '../device/take-call.ts';
import type { KindNeighbors } from '../host/open.ts';
import type { SessionSettings } from '../settings.ts';
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

interface VerificationNeighbors extends KindNeighbors {
  tokens: FaceTokens;
  modelId: string;
}

export function openVerification(
  context: Context,
  door: SigningDoor,
  settings: SessionSettings,
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

    openDeviceCalls({ calls }: { calls: DeviceCalls }) {
      const parts = { calls, evidence, tokens, devices, passkeys, debug: createDebug(log) };
      registerVerificationDeviceRoutes(door.http, {
        token: new TokenCalls({ ...parts, database, vouching }),
        local: createLocalCalls(parts, localSignIns),
        passkey: new PasskeyCalls(parts),
        sessions,
      });
    },
  };
}
