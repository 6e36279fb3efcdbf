// Puts verification sessions together: their end, their service, how they look to a device, and what devices may call.
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
import { createSelfieCall } from './device/selfie-call.ts';
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
  { database, sealer, idempotency, clock, ids, log }: Context,
  door: SigningDoor,
  { servesHosts, ttlMs, lightChallenge, localSignIns }: VerificationSettings,
  neighbors: VerificationNeighbors,
) {
  const { core, cases, activity, finishedChecks, relyingParty, launchUrl, movements, tokens, modelId } = neighbors;
  const { sessions, closeChannel, devices, passkeys } = core;
  const evidence = createEvidenceStore(database, sealer);
  const vouching = createVouching({ devices, passkeys });
  const ending = { database, evidence, tokens, vouching, activity, finishedChecks, clock };
  const endSession = createEndVerificationSession(core, ending);
  const verificationSessions = createVerificationSessions({
    database,
    sessions,
    closeChannel,
    idempotency,
    cases,
    endSession,
    tokens,
    vouching,
    relyingParty,
    launchUrl,
    ttlMs,
    lightChallenge,
    clock,
    ids,
  });
  if (servesHosts) registerVerificationSessionRoutes(door, verificationSessions);
  const flow = createVerificationDeviceFlow({
    endSession,
    expire: verificationSessions.expire,
    galleryGuid: tokens.galleryGuid,
    evidence,
    modelId,
    lightChallenge,
    movements,
  });
  const debug = createDebug(log);
  return {
    flow,
    /** Serves what devices call besides what all sessions have. */
    openDeviceCalls({ calls }: { calls: DeviceCalls }) {
      const shared = { calls, evidence, tokens, devices, debug };
      registerVerificationDeviceRoutes(door.http, {
        token: new TokenCalls({ ...shared, database, vouching }),
        local: createLocalCalls({ ...shared, localSignIns }),
        passkey: new PasskeyCalls({ ...shared, passkeys }),
        sendSelfie: createSelfieCall(shared),
        sessions,
      });
    },
  };
}
