// Puts age sessions together: their end, their service, how they look to a device, and what devices may call.
import type { AgeBound, Proof } from '@limen/plan';
import type { Context } from '../../platform/context.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import { isPasskeyHost } from '../../platform/webauthn/relying-party.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { createSessionEvidence } from '../device/session-evidence.ts';
import type { DeviceCalls, OfferCalls } from '../device/take-call.ts';
import type { KindNeighbors, KindSettings } from '../host/open.ts';
import type { Session } from '../lifecycle/session.ts';
import type { WalletProofs } from '../proofs/wallets/proofs.ts';
import { createAgeKeyCalls } from './device/age-key-calls.ts';
import { createAgeDeviceFlow } from './device/flow.ts';
import { proofEvidenceFor } from './device/proofs.ts';
import { registerAgeDeviceRoutes } from './device/routes.ts';
import { registerWalletAddress, walletAnswerUrl } from './device/wallet-address-routes.ts';
import { createWalletCalls } from './device/wallet-calls.ts';
import { createWalletLinkStore, registerWalletLinkTimer } from './device/wallet-link-store.ts';
import { WalletLinks } from './device/wallet-links.ts';
import { createEndSession } from './end-session.ts';
import { registerAgeSessionRoutes } from './routes.ts';
import { createAgeSessions } from './service.ts';

interface AgeSessionSettings extends KindSettings {
  ageBound: AgeBound | undefined;
  /** Whether a proxy in front says where requests come from. */
  trustsProxy: boolean;
}

interface AgeSessionNeighbors extends KindNeighbors {
  /** Undefined if no issuer of bearer tokens is configured. */
  bearer: Bearer | undefined;
  wallets: WalletProofs;
}

export function openAgeSessions(
  { database, sealer, jobs, idempotency, clock, ids }: Context,
  door: SigningDoor,
  settings: AgeSessionSettings,
  neighbors: AgeSessionNeighbors,
) {
  const { servesHosts, ttlMs, lightChallenge, ageBound, trustsProxy } = settings;
  const { core, cases, activity, finishedChecks, relyingParty, launchUrl, movements, bearer, wallets } = neighbors;
  const { sessions, webhooks, closeChannel, ageKeys } = core;
  const evidence = createSessionEvidence(database, sealer, proofEvidenceFor);
  const links = createWalletLinkStore(database, sealer);
  registerWalletLinkTimer(jobs, links, clock);
  const endSession = createEndSession({
    database,
    sessions,
    webhooks,
    evidence,
    walletLinks: links,
    activity,
    finishedChecks,
    clock,
  });
  const ageSessions = createAgeSessions({
    database,
    sessions,
    closeChannel,
    idempotency,
    cases,
    endSession,
    launchUrl,
    ttlMs,
    lightChallenge,
    clock,
    ids,
  });
  if (servesHosts) registerAgeSessionRoutes(door, { ageSessions, checkBearer: bearer?.check });
  const offersProof = (proof: Proof, { owner, contents }: Session<'age'>) =>
    proof === 'age_key'
      ? // Browsers make passkeys for names only.
        ageKeys.isOn && isPasskeyHost(relyingParty().id)
      : wallets.offers(owner.world, contents.settings.documentAgeThreshold);
  return {
    flow: createAgeDeviceFlow({
      endSession,
      expire: ageSessions.expire,
      offersProof,
      lightChallenge,
      movements,
      ageBound,
    }),
    /** Serves what devices call besides what all sessions have. */
    openDeviceCalls({ calls, offers }: { calls: DeviceCalls; offers: OfferCalls }) {
      const answerUrl = (linkId: string) => walletAnswerUrl(launchUrl(''), linkId);
      const proofs = { calls, evidence, endSession };
      const walletLinks = new WalletLinks(proofs, { sessions, wallets, links, answerUrl, launchUrl, clock });
      registerWalletAddress(door.http, walletLinks);
      registerAgeDeviceRoutes(door.http, {
        trustsProxy,
        sessions,
        walletLinks,
        ageKey: createAgeKeyCalls(proofs, offers, ageKeys),
        wallet: createWalletCalls(proofs, wallets),
      });
    },
  };
}
