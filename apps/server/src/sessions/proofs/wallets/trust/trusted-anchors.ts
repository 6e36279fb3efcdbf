// Trust anchors and CRLs in use: those of the folder, read every few seconds, and the test issuer.
import {
  type AnchorDescription,
  type CrlDescription,
  describeAnchor,
  faultOfAnchor,
  PROFILES,
  type ProfileId,
  type TrustAnchor,
} from '@limen/wallet';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import type { Logger } from 'pino';
import type { Clock } from '../../../../platform/base/clock.ts';
import type { World } from '../../../../platform/base/world.ts';
import type { Sealer } from '../../../../platform/sealing/sealer.ts';
import type { Metrics } from '../../../../platform/watch/metrics.ts';
import type { StoredCrl, TrustFolder } from './folder.ts';

interface TrustedAnchorsOptions {
  folder: Pick<TrustFolder, 'stamp' | 'read'>;
  sealer: Pick<Sealer, 'digest'>;
  clock: Clock;
  log: Pick<Logger, 'warn' | 'info'>;
  lookEveryMs?: number;
}

const LOOK_EVERY_MS = 2_000;
const PROFILE_IDS = Object.keys(PROFILES) as ProfileId[];

export function createTrustedAnchors(options: TrustedAnchorsOptions) {
  const { folder, sealer, clock, log, lookEveryMs = LOOK_EVERY_MS } = options;
  let anchors: readonly TrustAnchor[] = [];
  let crls: readonly StoredCrl[] = [];
  let stamp: string | undefined;
  let testIssuers: Promise<{ anchor: TrustAnchor }[]> | undefined;
  let looking: Promise<void> = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookEveryMs);
  timer.unref();

  async function look(): Promise<void> {
    try {
      const now = await folder.stamp();
      if (now === stamp) return;
      const { kept, crls: filed, problems } = await folder.read();
      for (const { file, sentence } of problems)
        log.warn({ file, problem: sentence }, 'a file in the trust folder is unusable');
      if (kept.length !== anchors.length) log.info({ anchors: kept.length }, 'trust anchors of wallets read');
      anchors = kept.map(({ anchor }) => anchor);
      crls = filed;
      stamp = now;
    } catch (error) {
      log.warn({ err: error }, 'the folder of trust anchors cannot be read');
    }
  }

  return {
    has(profile: ProfileId, world: World) {
      const now = new Date(clock.now());
      const isUsable = (anchor: TrustAnchor) => anchor.profile === profile && faultOfAnchor(anchor, now) === null;
      return world === 'test' || anchors.some(isUsable);
    },

    async of(world: World) {
      await looking;
      if (world === 'live') return anchors;
      testIssuers ??= Promise.all(PROFILE_IDS.map((profile) => openTestIssuer(profile, sealer, clock)));
      return [...anchors, ...(await testIssuers).map(({ anchor }) => anchor)];
    },

    async crls(profile: ProfileId) {
      await looking;
      return crls.filter((crl) => crl.profile === profile);
    },

    close: () => clearInterval(timer),
  };
}

export type TrustedAnchors = ReturnType<typeof createTrustedAnchors>;

/** Opens the test issuer of this service. Its keys derive from the service's own secret. */
export function openTestIssuer(profile: ProfileId, sealer: Pick<Sealer, 'digest'>, clock: Clock) {
  const seed = sealer.digest('wallets/test_issuer', profile);
  return createTestIssuer({ profile, now: new Date(clock.now()), seed });
}

/** Returns enough of a fingerprint to tell anchors apart, and to type. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 16);
}

const EXPIRES_SOON_MS = 30 * 86_400_000;

function validityBetween(from: Date, until: Date | undefined, soonMs: number, now: number) {
  const end = until?.getTime() ?? 0;
  if (end <= now) return 'expired';
  if (from.getTime() > now) return 'not_yet_valid';
  return end - now <= soonMs ? 'expires_soon' : 'valid';
}

export function checkValidity({ notBefore, notAfter }: AnchorDescription, now: number) {
  return validityBetween(notBefore, notAfter, EXPIRES_SOON_MS, now);
}

/** Authorities issue a new CRL every few days or weeks. */
const CRL_LAPSES_SOON_MS = 3 * 86_400_000;

export function validityOfCrl({ thisUpdate, nextUpdate }: CrlDescription, now: number) {
  return validityBetween(thisUpdate, nextUpdate ?? undefined, CRL_LAPSES_SOON_MS, now);
}

export function addTrustMetrics(
  metrics: Pick<Metrics, 'addGauge'>,
  anchors: Pick<TrustedAnchors, 'of'>,
  clock: Clock,
): void {
  const byProfile = async (): Promise<[ProfileId, number[]][]> => {
    const described = (await anchors.of('live')).map(describeAnchor);
    return PROFILE_IDS.map((id) => [
      id,
      described.filter(({ profile }) => profile === id).map(({ notAfter }) => notAfter.getTime()),
    ]);
  };
  metrics.addGauge('limen_trust_anchors', 'Authorities whose wallets are trusted.', ['profile'], async (gauge) => {
    for (const [profile, ends] of await byProfile()) gauge.set({ profile }, ends.length);
  });
  const help = 'Until the first of the trusted authorities expires; negative once it has.';
  metrics.addGauge('limen_trust_anchor_expires_seconds', help, ['profile'], async (gauge) => {
    for (const [profile, ends] of await byProfile()) {
      if (ends.length > 0) gauge.set({ profile }, (Math.min(...ends) - clock.now()) / 1000);
    }
  });
}
