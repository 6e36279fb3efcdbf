// Whether the signer of an attestation, or of its status, is one of the profile's own: an anchor of one never vouches for another.
import type { Profile } from '../profiles/profiles.ts';
import type { TrustAnchor } from './anchors.ts';
import { type TrustedSigner, trustChain } from './chain.ts';

export type TrustedIssuer = TrustedSigner<TrustAnchor>;

export function trustSigner(
  chain: readonly Uint8Array[],
  profile: Profile,
  anchors: readonly TrustAnchor[],
  now: Date,
): Promise<TrustedIssuer> {
  const own = anchors.filter((anchor) => anchor.profile === profile.id);
  return trustChain(chain, own, profile.signerUses, now);
}
