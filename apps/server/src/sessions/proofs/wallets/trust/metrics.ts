// How many authorities are trusted, and how long the first of them is still valid.
import { describeAnchor, PROFILES, type ProfileId } from '@limen/wallet';
import type { Clock } from '../../../../platform/base/clock.ts';
import type { Metrics } from '../../../../platform/watch/metrics.ts';
import type { TrustedAnchors } from './trusted-anchors.ts';

export function addTrustMetrics(
  metrics: Pick<Metrics, 'addGauge'>,
  anchors: Pick<TrustedAnchors, 'of'>,
  clock: Clock,
): void {
  const byProfile = async (): Promise<[ProfileId, Date[]][]> => {
    const described = (await anchors.of('live')).map(describeAnchor);
    return (Object.keys(PROFILES) as ProfileId[]).map((id) => [
      id,
      described.filter(({ profile }) => profile === id).map(({ notAfter }) => notAfter),
    ]);
  };
  metrics.addGauge('limen_trust_anchors', 'Authorities whose wallets are trusted.', ['profile'], async (gauge) => {
    for (const [profile, ends] of await byProfile()) gauge.set({ profile }, ends.length);
  });
  const help = 'Until the first of the trusted authorities expires; negative once it has.';
  metrics.addGauge('limen_trust_anchor_expires_seconds', help, ['profile'], async (gauge) => {
    for (const [profile, ends] of await byProfile()) {
      const soonest = Math.min(...ends.map((end) => end.getTime()));
      if (ends.length > 0) gauge.set({ profile }, (soonest - clock.now()) / 1000);
    }
  });
}
