// A wallet with an attestation of the service's own test issuer, or of another one: answers what a session asks.
import type { WalletOptionsReply } from '@limen/contract';
import type { ProfileId, StatusReference } from '@limen/wallet';
import { answerRequest, issueAttestation, type TestIssuer, type WalletConduct } from '@limen/wallet/test-issuer';
import { openTestIssuer } from '../src/core/wallets/trust/trusted-anchors.ts';
import type { Clock } from '../src/platform/clock.ts';
import { createIds } from '../src/platform/ids.ts';
import { openStorage } from '../src/platform/open-storage.ts';
import type { TestDatabase } from './database/test-database.ts';

export interface ShownAttestation {
  profile?: ProfileId;
  protocol?: string;
  elements?: Record<string, unknown>;
  issuer?: TestIssuer;
  /** Days before now that it was issued. */
  issuedDaysAgo?: number;
  status?: StatusReference;
  /** Changes what the issuer signs. */
  change?: (object: Map<string, unknown>) => void;
  conduct?: WalletConduct;
}

export interface TestWallet {
  /** What the browser would return. */
  answer(
    asked: WalletOptionsReply,
    shown?: ShownAttestation,
  ): Promise<{ protocol: string; data: Record<string, unknown> }>;
}

interface TestWalletOptions {
  /** Of the service. */
  storage: Pick<TestDatabase, 'dataDir' | 'url'>;
  clock: Clock;
  /** Of the page that asks. */
  origin: string;
}

const AGES = { age_over_18: true, age_over_21: true };
const DAY_MS = 86_400_000;

export function createTestWallet({ storage, clock, origin }: TestWalletOptions): TestWallet {
  return {
    async answer({ requests }, shown = {}) {
      const { profile = 'eu_age', protocol = 'org-iso-mdoc', elements = AGES, issuedDaysAgo = 0 } = shown;
      const { status, change, conduct } = shown;
      const issuer = shown.issuer ?? (await findServiceIssuer({ storage, clock }, profile));
      const attestation = await issueAttestation(issuer, {
        elements,
        now: new Date(clock.now() - issuedDaysAgo * DAY_MS),
        ...(status && { status }),
        ...(change && { change }),
      });
      // Those of Annex C do not name their document in the clear: the European one comes first.
      const ofProtocol = requests.filter((one) => one.protocol === protocol);
      const request = profile === 'mdl' ? ofProtocol.at(-1)! : ofProtocol[0]!;
      const sent = { kind: 'digital' as const, ...request, protocol: request.protocol as never };
      const { fields } = await answerRequest(sent, attestation, { origin, ...conduct });
      return { protocol: request.protocol, data: fields };
    },
  };
}

/** The one that the service itself has, by the service's own secret. */
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
