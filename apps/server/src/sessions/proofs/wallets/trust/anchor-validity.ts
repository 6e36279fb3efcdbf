// Whether an anchor, or a list of revoked certificates, is good for anything today, and for how much longer.
import type { AnchorDescription, CrlDescription } from '@limen/wallet';

export const EXPIRES_SOON_MS = 30 * 86_400_000;

export type AnchorValidity = 'valid' | 'not_yet_valid' | 'expires_soon' | 'expired';

export function validityOf({ notBefore, notAfter }: AnchorDescription, now: number): AnchorValidity {
  if (notAfter.getTime() <= now) return 'expired';
  if (notBefore.getTime() > now) return 'not_yet_valid';
  return notAfter.getTime() - now <= EXPIRES_SOON_MS ? 'expires_soon' : 'valid';
}

/** Authorities issue new ones every few days or weeks. */
const CRL_LAPSES_SOON_MS = 3 * 86_400_000;

export function validityOfCrl({ thisUpdate, nextUpdate }: CrlDescription, now: number): AnchorValidity {
  const end = nextUpdate?.getTime() ?? 0;
  if (end <= now) return 'expired';
  if (thisUpdate.getTime() > now) return 'not_yet_valid';
  return end - now <= CRL_LAPSES_SOON_MS ? 'expires_soon' : 'valid';
}
