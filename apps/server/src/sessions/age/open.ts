// Puts age sessions together: their end, their service, their device flow, and the calls of their devices.
import type { Proof } from '@limen/plan';
import type { Context } from '../../platform/context.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import { isPasskeyHost } from '../../platform/webauthn/relying-party.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { createSessionEvidence } from '../device/session-evidence.ts';
import type { DeviceCalls } from '../device/take-call.ts';
import type { DeviceTurns } from '../device/turns.ts';
import type { KindNeighbors } from '../host/open.ts';
import type { Session } from '../lifecycle/session.ts';
import type { WalletProofs } from '../proofs/wallets/proofs.ts';
import type { SessionSettings } from '../settings.ts';
import { createAgeKeyCalls } from './device/age-key-calls.ts';
import { createAgeDeviceFlow } from './device/flow.ts';
import { proofEvidenceFor } from './device/proofs.ts';
import { registerAgeDeviceRoutes } from './device/routes.ts';
import { registerWalletAddress, walletAnswerUrl } from './device/wallet-address-routes.ts';
import { WalletCalls } from './device/wallet-calls.ts';
import { createWalletLinkStore, registerWalletLinkTimer } from './device/wallet-link-store.ts';
import { createEndSession } from './end-session.ts';
import { registerAgeSessionRoutes } from './routes.ts';
import { createAgeSessions } from './service.ts';

interface AgeSessionNeighbors extends KindNeighbors {
  /** Undefined if no issuer of bearer tokens is configured. */
  bearer: Bearer | undefined;
  wallets: WalletProofs;
}

export function openAgeSessions(
  context: Context,
  door: SigningDoor,
  settings: SessionSettings,
  neighbors: AgeSessionNeighbors,
) {
  const { database, sealer, jobs, clock } = context;
  const { servesHosts, ttlMs, lightChallenge, ageBound, trustsProxy } = settings;
  const { core, cases, relyingParty, launchUrl, movements, bearer, wallets } = neighbors;
  const { sessions, ageKeys } = core;
  const evidence = createSessionEvidence(database, sealer, proofEvidenceFor);
  const links = createWalletLinkStore(database, sealer);
  registerWalletLinkTimer(jobs, links, clock);
  const endSession = createEndSession(context, core, { ...neighbors, evidence, links });
  const ageSessions = createAgeSessions(context, core, { cases, endSession, launchUrl, ttlMs, lightChallenge });
  if (servesHosts) registerAgeSessionRoutes(door, ageSessions, bearer?.check);
  const offersProof = (proof: Proof, { owner, contents }: Session<'age'>) =>
    proof === 'age_key'
      ? // Browsers make passkeys for names only.
        ageKeys.isOn && isPasskeyHost(relyingParty().id)
      : wallets.offers(owner.world, contents.settings.documentAgeThreshold);
  const { expire } = ageSessions;
  return {
    flow: createAgeDeviceFlow({ endSession, expire, offersProof, lightChallenge, movements, ageBound }),

    openDeviceCalls({ calls, turns }: { calls: DeviceCalls; turns: DeviceTurns }) {
      const answerUrl = (linkId: string) => walletAnswerUrl(launchUrl(''), linkId);
      const proofs = { calls, evidence, endSession };
      const wallet = new WalletCalls({ ...proofs, sessions, wallets, links, answerUrl, launchUrl, clock });
      registerWalletAddress(door.http, wallet);
      const ageKey = createAgeKeyCalls(proofs, turns, ageKeys);
      registerAgeDeviceRoutes(door.http, { trustsProxy, sessions, ageKey, wallet });
    },
  };
}
