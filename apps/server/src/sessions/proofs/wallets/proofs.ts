// Proofs of age from wallets: requests, and the verdict on answers. Nothing of an attestation is kept.
import { randomBytes } from 'node:crypto';
import type { WalletRefusal } from '@limen/plan';
import {
  createRequest,
  ENTROPY_BYTES,
  findAgeFor,
  PROFILES,
  type Profile,
  type ProfileId,
  type Protocol,
  type RequestSigner,
  type RequestState,
  type Verdict,
  verifyResponse,
} from '@limen/wallet';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/base/clock.ts';
import type { World } from '../../../platform/base/world.ts';
import {
  createProofBudget,
  type RevocationLists,
  type WaitFor,
  type WalletFault,
  waitUnheld,
} from './revocation-lists.ts';
import type { StatusLists } from './status-lists.ts';
import type { TrustedAnchors } from './trust/trusted-anchors.ts';

/** Result of a valid attestation. It says no more than that the threshold is met. */
export interface WalletFinding {
  profile: string;
  issuerCountry: string | null;
}

interface WalletProofsOptions {
  anchors: Pick<TrustedAnchors, 'has' | 'of'>;
  statusLists: Pick<StatusLists, 'check'>;
  revocationLists: Pick<RevocationLists, 'check'>;
  signer: () => RequestSigner | undefined;
  /** Origin of the launch page: from the settings, never from a request. */
  origin: () => string;
  clock: Clock;
  log: Pick<Logger, 'info'>;
  wait?: WaitFor;
}

export const MAX_WALLET_AGE = Math.max(...Object.values(PROFILES).flatMap(({ ages }) => ages));

const PROTOCOLS: readonly Protocol[] = ['org-iso-mdoc', 'openid4vp-v1-signed', 'openid4vp-v1-unsigned'];

export function createWalletProofs(options: WalletProofsOptions) {
  const { anchors, signer: findSigner, origin, log } = options;
  const counts = new Map<string, number>();

  const profilesFor = (world: World, threshold: number): Profile[] =>
    Object.values(PROFILES).filter(
      (profile) => anchors.has(profile.id, world) && findAgeFor(profile, threshold) !== null,
    );

  return {
    /** Returns whether any proof could be accepted. Otherwise people are not asked for one. */
    offers: (world: World, threshold: number) => profilesFor(world, threshold).length > 0,

    async begin(world: World, threshold: number) {
      const signed = findSignature();
      const wanted = profilesFor(world, threshold).flatMap(({ id, protocols }) =>
        PROTOCOLS.filter((name) => protocols.includes(name) && (signed.signer || name !== 'openid4vp-v1-signed')).map(
          (protocol) => ({ profile: id, protocol }),
        ),
      );
      const created = await Promise.all(
        wanted.map((request) =>
          createRequest({ ...request, ...signed, threshold, origin: origin(), entropy: randomBytes(ENTROPY_BYTES) }),
        ),
      );
      return {
        requests: created.flatMap(({ request }) =>
          request.kind === 'digital' ? [{ protocol: request.protocol, data: request.data }] : [],
        ),
        states: created.map(({ state }) => state),
      };
    },

    /** Creates one link per profile. Wallets fetch signed requests from `address`, and post answers to it. */
    async beginLinks(world: World, threshold: number, address: (profile: ProfileId) => string) {
      const signed = findSignature();
      const created = await Promise.all(
        profilesFor(world, threshold).map(async ({ id: profile, protocols }) => {
          const entropy = randomBytes(ENTROPY_BYTES);
          const isSigned = signed.signer !== undefined && protocols.includes('redirect-signed');
          const protocol: Protocol = isSigned ? 'redirect-signed' : 'redirect-unsigned';
          const uri = address(profile);
          const wanted = { profile, protocol, threshold, entropy, responseUri: uri, requestUri: uri };
          const { request, state } = await createRequest({ ...wanted, ...signed });
          return request.kind === 'link'
            ? [{ profile, link: request.link, requestObject: request.requestObject, state }]
            : [];
        }),
      );
      return created.flat();
    },

    async judge(states: readonly RequestState[], world: World, answer: { protocol: string; data: unknown }) {
      const verdict = await verify(options, states, world, answer);
      if ('refused' in verdict) {
        refuse(verdict.refused);
        return { refused: REASONS[verdict.refused] ?? 'not_valid' };
      }
      const { profile, issuerCountry, extraElements } = verdict.proof;
      if (extraElements > 0) count('unasked_elements', extraElements);
      return { finding: { profile, issuerCountry } };
    },

    /** Counts a finding that ended its session, or a return from the wallet with a wrong response code. */
    settle(outcome: 'accepted' | 'response_code') {
      if (outcome === 'accepted') count(outcome);
      else refuse(outcome);
    },

    counts,
  };

  function refuse(refusal: WalletFault | 'response_code'): void {
    count(refusal);
    log.info({ refusal }, "a wallet's answer was refused");
  }

  function findSignature(): { signer?: RequestSigner } {
    const signer = findSigner();
    return signer ? { signer } : {};
  }

  function count(outcome: string, by = 1): void {
    counts.set(outcome, (counts.get(outcome) ?? 0) + by);
  }
}

export type WalletProofs = ReturnType<typeof createWalletProofs>;

async function verify(
  { anchors, statusLists, revocationLists, clock, wait = waitUnheld }: WalletProofsOptions,
  states: readonly RequestState[],
  world: World,
  { protocol, data }: { protocol: string; data: unknown },
): Promise<{ proof: Extract<Verdict, { ok: true }> } | { refused: WalletFault }> {
  const trusted = await anchors.of(world);
  const checks = { anchors: trusted, now: new Date(clock.now()), acceptTestIssuers: world === 'test' };
  let refused: WalletFault = 'answer_malformed';
  for (const state of states.filter((asked) => asked.protocol === protocol)) {
    const verdict = await verifyResponse(state, data, checks);
    if (verdict.ok) {
      const { status, revocation, profile } = verdict;
      const budget = createProofBudget(wait);
      // In parallel, so that a slow server does not use up the time of the other.
      const [revoked, ended] = await Promise.all([
        revocationLists.check(revocation, profile, trusted, budget),
        status && statusLists.check(status, profile, trusted, budget),
      ]);
      const fault = revoked ?? ended;
      return fault ? { refused: fault } : { proof: verdict };
    }
    refused = verdict.refusal;
    // The browser does not name the request that was answered: only the right one has the key.
    if (refused !== 'answer_not_decryptable') break;
  }
  return { refused };
}

/** All other faults are `not_valid`, including unavailable lists: trying again may help. */
const REASONS: Partial<Record<WalletFault, WalletRefusal>> = {
  declined: 'declined',
  response_status: 'declined',
  document_missing: 'no_age',
  element_missing: 'no_age',
  element_not_true: 'no_age',
  issuer_untrusted: 'not_trusted',
  test_issuer: 'not_trusted',
  expired: 'ended',
  certificate_dates: 'ended',
  certificate_revoked: 'ended',
  status_revoked: 'ended',
};
