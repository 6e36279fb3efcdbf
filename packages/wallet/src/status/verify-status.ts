// Whether an attestation still holds, by the status list that its issuer publishes. Fetching the list is for whoever calls.
import type { StatusReference } from '../mdoc/mobile-security-object.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type Refused, refuse } from '../refusals.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import { SKEW_MS } from '../skew.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { trustStatusSigner } from '../trust/trust-signer.ts';
import { openCwtList, openJwtList } from './open-status-token.ts';
import { readEntry, type StatusList } from './status-list.ts';

export interface StatusOptions {
  profile: ProfileId;
  anchors: readonly TrustAnchor[];
  now: Date;
}

const VALID = 0;

/** `token` is what was fetched from an attestation's address: a JWT as text, or a CWT as bytes. */
export async function openStatusList(
  token: string | Uint8Array,
  { profile, anchors, now }: StatusOptions,
): Promise<{ ok: true; list: StatusList } | Refused> {
  try {
    const checks = { profile: PROFILES[profile], anchors, now };
    const list = typeof token === 'string' ? await openJwtList(token, checks) : await openCwtList(token, checks);
    return { ok: true, list };
  } catch (error) {
    return describeRefusal(error);
  }
}

/** Costs nothing of the list's size. Of the same profile as it was opened for. */
export async function checkStatus(
  { subject, issuedAt, expiresAt, statuses, chain }: StatusList,
  { uri, index }: StatusReference,
  { profile, anchors, now }: StatusOptions,
): Promise<{ ok: true; revocation: readonly RevocationReference[] } | Refused> {
  try {
    // Certificates end, and authorities may no longer be trusted, while a list is kept.
    const { revocation } = await trustStatusSigner(chain, { profile: PROFILES[profile], anchors, now });
    if (subject !== uri) refuse('status_list_subject');
    checkTimes(issuedAt, expiresAt, now.getTime() / 1000);
    if (readEntry(statuses, index) !== VALID) refuse('status_revoked');
    return { ok: true, revocation };
  } catch (error) {
    return describeRefusal(error);
  }
}

function checkTimes(issuedAt: unknown, expiresAt: unknown, nowSeconds: number): void {
  if (typeof issuedAt !== 'number' || issuedAt > nowSeconds + SKEW_MS / 1000) refuse('status_list_expired');
  if (expiresAt === undefined) return;
  if (typeof expiresAt !== 'number' || expiresAt <= nowSeconds) refuse('status_list_expired');
}
