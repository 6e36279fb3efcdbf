// Puts age sessions together: their end, their service, how they look to a device, and what devices may call.
import type { AgeBound, Proof } from '@limen/plan';
import type { Access } from '../../platform/http/access.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { isPasskeyHost, type RelyingParty } from '../../platform/webauthn/relying-party.ts';
import type { Activity } from '../../records/activity/counts.ts';
import type { Signing } from '../../signing/sign.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { LightChallenge } from '../device/answer/light.ts';
import type { DeviceChannel } from '../device/channel.ts';
import { createSessionEvidence } from '../device/evidence-store.ts';
import type { MovementTuning } from '../device/flow.ts';
import type { SessionServiceParts } from '../host/calls.ts';
import type { Session } from '../lifecycle/session.ts';
import type { AgeKeys } from '../proofs/age-keys/age-keys.ts';
import type { WalletProofs } from '../proofs/wallets/proofs.ts';
import type { FinishedChecks } from '../risk/finished-checks/finished-checks.ts';
import { createAgeKeyCalls } from './device/age-key-calls.ts';
import { createAgeDeviceFlow } from './device/flow.ts';
import type { ProofEvidence } from './device/proof-evidence.ts';
import { registerAgeDeviceRoutes } from './device/routes.ts';
import { registerWalletAddress, walletAnswerUrl } from './device/wallet-address-routes.ts';
import { createWalletCalls } from './device/wallet-calls.ts';
import { createWalletLinkStore } from './device/wallet-link-store.ts';
import { registerWalletLinkTimer } from './device/wallet-link-timer.ts';
import { createWalletLinks } from './device/wallet-links.ts';
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
  activity: Pick<Activity, 'count'>;
  finishedChecks: Pick<FinishedChecks, 'examine'>;
  sealer: Sealer;
  jobs: Jobs;
  ageKeys: AgeKeys;
  wallets: WalletProofs;
  /** What age keys are bound to. */
  relyingParty: () => RelyingParty;
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
  movements: MovementTuning | undefined;
  ageBound?: AgeBound | undefined;
  signing: Signing;
  /** Whether a proxy in front says where requests come from. */
  trustsProxy: boolean;
}

export function openAgeSessions(options: OpenAgeSessions) {
  const { http, access, bearer, servesHosts, database, sealer, ageKeys, wallets, relyingParty, launchUrl } = options;
  const { signing, trustsProxy } = options;
  const evidence = createSessionEvidence<ProofEvidence>(database, sealer);
  const links = createWalletLinkStore(database, sealer);
  registerWalletLinkTimer(options.jobs, links, options.clock);
  const endSession = createEndSession({ ...options, evidence, walletLinks: links });
  const ageSessions = createAgeSessions({ ...options, endSession });
  if (servesHosts) registerAgeSessionRoutes(http, { ageSessions, access, checkBearer: bearer?.check, signing });
  const offersProof = (proof: Proof, { owner, contents }: Session<'age'>) =>
    proof === 'age_key'
      ? // Browsers make passkeys for names only.
        ageKeys.isOn && isPasskeyHost(relyingParty().id)
      : wallets.offers(owner.world, contents.settings.documentAgeThreshold);
  return {
    flow: createAgeDeviceFlow({ ...options, endSession, expire: ageSessions.expire, offersProof }),
    /** Serves what devices call besides what all sessions have. */
    openDeviceCalls(
      channel: Pick<DeviceChannel, 'requireSession' | 'take' | 'endHeld' | 'keepHeld' | 'refuseHeld' | 'offers'>,
    ) {
      const answerUrl = (linkId: string) => walletAnswerUrl(launchUrl(''), linkId);
      const walletLinks = createWalletLinks({ ...options, channel, evidence, links, endSession, answerUrl });
      registerWalletAddress(http, walletLinks);
      registerAgeDeviceRoutes(http, {
        trustsProxy,
        walletLinks,
        channel,
        ageKey: createAgeKeyCalls({ channel, ageKeys, evidence, endSession }),
        wallet: createWalletCalls({ channel, wallets, evidence, endSession }),
      });
    },
  };
}

export type OpenedAgeSessions = ReturnType<typeof openAgeSessions>;
