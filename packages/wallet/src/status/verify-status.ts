// Checks an attestation against its issuer's status list. Callers fetch the list.

import { compactVerify, decodeProtectedHeader } from 'jose';
import { decodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { readCertificateChain, readCose, verifySign1 } from '../cose/message.ts';
import type { StatusReference } from '../mdoc/mobile-security-object.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type RefusalResult, refuse } from '../refusals.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { SKEW_MS } from '../trust/certificate.ts';
import { type SignerChecks, trustStatusSigner } from '../trust/trust-signer.ts';
import { inflateStatuses, readEntry, type StatusList } from './status-list.ts';

/** Opens a status list, a JWT or a CWT (Token Status List, 5), within the profile's trust. */
const MAX_TOKEN_BYTES = 4_194_304;
const JWT_TYPE = 'statuslist+jwt';
const CWT_TYPE = 'application/statuslist+cwt';
const TYPE_LABEL = 16;
const CLAIMS = { subject: 2, expiresAt: 4, issuedAt: 6, list: 65533 } as const;

async function openJwtList(token: string, checks: SignerChecks): Promise<StatusList> {
  if (token.length > MAX_TOKEN_BYTES) refuse('status_list_malformed');
  const { typ, x5c } = orMalformed(() => decodeProtectedHeader(token));
  if (typ !== JWT_TYPE) refuse('status_list_malformed');
  if (!Array.isArray(x5c) || !x5c.every((entry) => typeof entry === 'string')) return refuse('certificate_missing');
  const chain = x5c.map((base64) => Buffer.from(base64, 'base64'));
  const { certificate } = await trustStatusSigner(chain, checks);
  const { payload } = await compactVerify(token, certificate.publicKey.key, {
    algorithms: [...checks.profile.algorithms],
  }).catch(() => refuse('status_list_signature'));
  const claims = orMalformed(() => JSON.parse(Buffer.from(payload).toString('utf8')));
  const { bits, lst } = claims?.status_list ?? {};
  if (typeof lst !== 'string') return refuse('status_list_malformed');
  const statuses = inflateStatuses(bits, Buffer.from(lst, 'base64url'));
  return { subject: claims.sub, issuedAt: claims.iat, expiresAt: claims.exp, statuses, chain };
}

async function openCwtList(token: Uint8Array, checks: SignerChecks): Promise<StatusList> {
  const message = readCose(decodeCbor(token, { maxBytes: MAX_TOKEN_BYTES }));
  if (!message?.payload || message.protectedHeader.get(TYPE_LABEL) !== CWT_TYPE) return refuse('status_list_malformed');
  const chain = readCertificateChain(message) ?? refuse('certificate_missing');
  const { certificate } = await trustStatusSigner(chain, checks);
  if (!verifySign1(message, message.payload, certificate.publicKey, checks.profile)) refuse('status_list_signature');
  const claims = decodeCbor(message.payload, { maxBytes: MAX_TOKEN_BYTES });
  const list = isMap(claims) ? claims.get(CLAIMS.list) : null;
  const compressed = isMap(list) ? list.get('lst') : null;
  if (!isMap(claims) || !isMap(list) || !isBytes(compressed)) return refuse('status_list_malformed');
  const [subject, issuedAt, expiresAt] = [CLAIMS.subject, CLAIMS.issuedAt, CLAIMS.expiresAt].map((key) =>
    claims.get(key),
  );
  // ISO/IEC 18013-5, second edition, 12.3.6.3: the expiry is required.
  if (expiresAt === undefined) refuse('status_list_expired');
  return { subject, issuedAt, expiresAt, statuses: inflateStatuses(list.get('bits'), compressed), chain };
}

function orMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch {
    return refuse('status_list_malformed');
  }
}

export interface StatusOptions {
  profile: ProfileId;
  anchors: readonly TrustAnchor[];
  now: Date;
}

const VALID = 0;

/** `token` was fetched from the attestation's status URL: a JWT as text, or a CWT as bytes. */
export async function openStatusList(
  token: string | Uint8Array,
  { profile, anchors, now }: StatusOptions,
): Promise<{ ok: true; list: StatusList } | RefusalResult> {
  try {
    const checks = { profile: PROFILES[profile], anchors, now };
    const list = typeof token === 'string' ? await openJwtList(token, checks) : await openCwtList(token, checks);
    return { ok: true, list };
  } catch (error) {
    return describeRefusal(error);
  }
}

/** Takes constant time. Requires the profile with which the list was opened. */
export async function checkStatus(
  { subject, issuedAt, expiresAt, statuses, chain }: StatusList,
  { uri, index }: StatusReference,
  { profile, anchors, now }: StatusOptions,
): Promise<{ ok: true; revocation: readonly RevocationReference[] } | RefusalResult> {
  try {
    // Checked again, because certificates expire and trust may end while a list is cached.
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
