// Whether an anchor is good for anything today, and for how much longer.
import type { AnchorDescription } from '@limen/wallet';

export const EXPIRES_SOON_MS = 30 * 86_400_000;

export type AnchorValidity = 'valid' | 'not_yet_valid' | 'expires_soon' | 'expired';

export function validityOf({ notBefore, notAfter }: AnchorDescription, now: number): AnchorValidity {
  if (notAfter.getTime() <= now) return 'expired';
  if (notBefore.getTime() > now) return 'not_yet_valid';
  return notAfter.getTime() - now <= EXPIRES_SOON_MS ? 'expires_soon' : 'valid';
}
