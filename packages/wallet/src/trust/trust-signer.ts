// Checks that the signer of an attestation or its status belongs to the profile. Anchors of one
// profile never vouch for another.
import type { Profile } from '../profiles/profiles.ts';
import type { TrustAnchor } from './anchors.ts';
import { type Purpose, type TrustedSigner, trustChain } from './chain.ts';

export type TrustedIssuer = TrustedSigner<TrustAnchor>;

export interface SignerChecks {
  profile: Profile;
  anchors: readonly TrustAnchor[];
  now: Date;
}

export function trustSigner(chain: readonly Uint8Array[], checks: SignerChecks): Promise<TrustedIssuer> {
  return trust(chain, checks, { oneOf: checks.profile.signerUses });
}

/**
 * ISO/IEC 18013-5, second edition, Table B.9: a signer of status lists need not state its purpose,
 * and a signer of attestations may also sign their status.
 */
export function trustStatusSigner(chain: readonly Uint8Array[], checks: SignerChecks): Promise<TrustedIssuer> {
  return trust(chain, checks, { oneOf: checks.profile.signerUses, orNone: true });
}

function trust(
  chain: readonly Uint8Array[],
  { profile, anchors, now }: SignerChecks,
  purpose: Purpose,
): Promise<TrustedIssuer> {
  const own = anchors.filter((anchor) => anchor.profile === profile.id);
  return trustChain(chain, own, { ...purpose, looksUpLists: true }, now);
}
