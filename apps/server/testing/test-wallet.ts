// A wallet with an attestation of the service's own test issuer or another one.
import type { WalletLinkReply, WalletOptionsReply } from '@limen/contract';
import type { ProfileId, StatusReference } from '@limen/wallet';
import { answerRequest, issueAttestation, type TestIssuer, type WalletConduct } from '@limen/wallet/test-issuer';
import { compressStatuses, makeStatusJwt } from '@limen/wallet/testing/make-status-list.ts';
import type { Clock } from '../src/platform/base/clock.ts';
import { createIds } from '../src/platform/base/ids.ts';
import { openStorage } from '../src/platform/storage.ts';
import { openTestIssuer } from '../src/sessions/proofs/wallets/trust/trusted-anchors.ts';
import type { TestDatabase } from './database/test-database.ts';

export interface ShownAttestation {
  profile?: ProfileId;
  protocol?: string;
  elements?: Record<string, unknown>;
  issuer?: TestIssuer;
  /** Days since the attestation was issued */
  issuedDaysAgo?: number;
  status?: StatusReference;
  /** Changes what the issuer signs. */
  change?: (object: Map<string, unknown>) => void;
  conduct?: WalletConduct;
}

export interface TestWallet {
  /** Returns the browser's result. */
  answer(
    asked: WalletOptionsReply,
    shown?: ShownAttestation,
  ): Promise<{ protocol: string; data: Record<string, unknown> }>;
  /** Returns what the wallet would post, and the path it would post to. */
  answerLink(asked: WalletLinkReply, shown?: ShownAttestation): Promise<{ path: string; form: URLSearchParams }>;
}

interface TestWalletOptions {
  /** Storage of the service */
  storage: Pick<TestDatabase, 'dataDir' | 'url'>;
  clock: Clock;
  /** Origin of the requesting page */
  origin: string;
}

const AGES = { age_over_18: true, age_over_21: true };
const DAY_MS = 86_400_000;

export function createTestWallet({ storage, clock, origin }: TestWalletOptions): TestWallet {
  async function attest(profile: ProfileId, shown: ShownAttestation) {
    const { elements = AGES, issuedDaysAgo = 0, status, change } = shown;
    const issuer = shown.issuer ?? (await findServiceIssuer({ storage, clock }, profile));
    return issueAttestation(issuer, {
      elements,
      now: new Date(clock.now() - issuedDaysAgo * DAY_MS),
      ...(status && { status }),
      ...(change && { change }),
    });
  }

  return {
    async answer({ requests }, shown = {}) {
      const { profile = 'eu_age', protocol = 'org-iso-mdoc', conduct } = shown;
      const attestation = await attest(profile, shown);
      // Annex C requests do not name their document type. The European one comes first.
      const ofProtocol = requests.filter((request) => request.protocol === protocol);
      const request = profile === 'mdl' ? ofProtocol.at(-1)! : ofProtocol[0]!;
      const sent = { kind: 'digital' as const, ...request, protocol: request.protocol as never };
      const { fields } = await answerRequest(sent, attestation, { origin, ...conduct });
      return { protocol: request.protocol, data: fields };
    },

    async answerLink({ links }, shown = {}) {
      const { profile = 'eu_age', conduct } = shown;
      const { link } = links.find((candidate) => candidate.profile === profile)!;
      const sent = { kind: 'link' as const, link, requestObject: null };
      const { responseUri, fields } = await answerRequest(sent, await attest(profile, shown), conduct);
      return { path: new URL(responseUri!).pathname, form: new URLSearchParams(fields as Record<string, string>) };
    },
  };
}

/** Returns the service's own issuer, by the service's secret. */
export async function findServiceIssuer(
  { storage, clock }: Pick<TestWalletOptions, 'storage' | 'clock'>,
  profile: ProfileId,
): Promise<TestIssuer> {
  const { url, dataDir } = storage;
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ url, dataDir, masterKey: undefined, clock, ids });
  try {
    return await openTestIssuer(profile, sealer, clock);
  } finally {
    await database.close();
  }
}

/** Returns the current status list of the service's test issuer. */
export async function makeServiceStatuses(
  { storage, clock }: Pick<TestWalletOptions, 'storage' | 'clock'>,
  { profile, uri, revoked }: { profile: ProfileId; uri: string; revoked: readonly number[] },
): Promise<string> {
  const issuer = await findServiceIssuer({ storage, clock }, profile);
  const issuedAt = Math.floor(clock.now() / 1000);
  return makeStatusJwt(issuer, { subject: uri, issuedAt, compressed: compressStatuses(revoked) });
}
