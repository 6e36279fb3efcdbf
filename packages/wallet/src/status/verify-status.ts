// Whether an attestation still holds, by the status list that its issuer publishes. Fetching the list is for whoever calls.

import type { StatusReference } from '../mdoc/mobile-security-object.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type Refused, refuse } from '../refusals.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import { SKEW_MS } from '../skew.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { openCwtList, openJwtList } from './open-status-token.ts';
import { readEntry } from './status-list.ts';

export interface StatusOptions {
  profile: ProfileId;
  anchors: readonly TrustAnchor[];
  now: Date;
}

/** What a token says of itself, whichever form it has. Times are seconds since 1970. */
export interface StatusToken {
  subject: unknown;
  issuedAt: unknown;
  /** Undefined where the list does not end, as one that is a JWT need not. */
  expiresAt: unknown;
  list: { bits: unknown; compressed: Uint8Array };
  /** Of its signer's certificates. */
  revocation: readonly RevocationReference[];
}

const VALID = 0;

/** `token` is what was fetched from the reference's address: a JWT as text, or a CWT as bytes. */
export async function verifyStatus(
  { uri, index }: StatusReference,
  token: string | Uint8Array,
  { profile, anchors, now }: StatusOptions,
): Promise<{ ok: true; revocation: readonly RevocationReference[] } | Refused> {
  try {
    const checks = { profile: PROFILES[profile], anchors, now };
    const read = typeof token === 'string' ? await openJwtList(token, checks) : await openCwtList(token, checks);
    if (read.subject !== uri) refuse('status_list_subject');
    checkTimes(read, now.getTime() / 1000);
    if (readEntry(read.list, index) !== VALID) refuse('status_revoked');
    return { ok: true, revocation: read.revocation };
  } catch (error) {
    return describeRefusal(error);
  }
}

function checkTimes({ issuedAt, expiresAt }: StatusToken, nowSeconds: number): void {
  if (typeof issuedAt !== 'number' || issuedAt > nowSeconds + SKEW_MS / 1000) refuse('status_list_expired');
  if (expiresAt === undefined) return;
  if (typeof expiresAt !== 'number' || expiresAt <= nowSeconds) refuse('status_list_expired');
}
