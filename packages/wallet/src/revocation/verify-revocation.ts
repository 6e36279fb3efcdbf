// Checks the issuer's certificates against the revocation lists of their authorities (RFC 5280,
// 6.3). Callers fetch the lists.
import { verify } from 'node:crypto';
import type { ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type RefusalResult, refuse } from '../refusals.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { type Certificate, loadX509, SKEW_MS } from '../trust/certificate.ts';
import { type Crl, readCrl } from './read-crl.ts';

/** A certificate that names its authority's revocation list. */
export interface RevocationReference {
  /** http or https URLs; the first usable one counts. Empty if the list is named in another way. */
  addresses: readonly string[];
  certificate: Certificate;
  /** Issuer of the certificate in the chain. */
  authority: Certificate;
}

export interface RevocationOptions {
  profile: ProfileId;
  anchors: readonly TrustAnchor[];
  now: Date;
}

/** A verified list. `checkRevocation` looks up a certificate in it. */
export interface RevocationList {
  issuer: string;
  /** Digest of the certificate that verified it. */
  signer: string;
  thisUpdate: Date;
  nextUpdate: Date;
  serials: ReadonlySet<string>;
}

/** `bytes` were fetched from one of the reference's URLs. */
export async function openRevocationList(
  bytes: Uint8Array,
  reference: RevocationReference,
  options: RevocationOptions,
): Promise<{ ok: true; list: RevocationList } | RefusalResult> {
  try {
    const crl = readCrl(bytes);
    const issuer = await readIssuer(crl.issuer);
    if (issuer !== reference.certificate.issuer) refuse('crl_issuer');
    // 6.3.3 (b) (2): if the list names its URL, the certificate must name the same.
    const isElsewhere =
      crl.addresses !== null && !crl.addresses.some((address) => reference.addresses.includes(address));
    if (crl.hasForeignExtension || isElsewhere) refuse('crl_critical_extension');
    const signer = findSigners(reference, options).find((signer) => isSignedBy(crl, signer)) ?? refuse('crl_signature');
    const { thisUpdate, serials } = crl;
    // RFC 5280, 5.1.2.5: always present.
    const nextUpdate = crl.nextUpdate ?? refuse('crl_expired');
    const list = { issuer, signer: signer.digest, thisUpdate, nextUpdate, serials };
    checkBelieved(list, reference, options);
    return { ok: true, list };
  } catch (error) {
    return describeRefusal(error);
  }
}

export function checkRevocation(
  list: RevocationList,
  reference: RevocationReference,
  options: RevocationOptions,
): { ok: true } | RefusalResult {
  try {
    checkBelieved(list, reference, options);
    if (list.serials.has(reference.certificate.serial)) refuse('certificate_revoked');
    return { ok: true };
  } catch (error) {
    return describeRefusal(error);
  }
}

/** Checked again, because time passes and trust may end while a list is cached. */
function checkBelieved(list: RevocationList, reference: RevocationReference, options: RevocationOptions): void {
  if (list.issuer !== reference.certificate.issuer) refuse('crl_issuer');
  const signers = findSigners(reference, options);
  const signer = signers.find(({ digest }) => digest === list.signer) ?? refuse('crl_signature');
  if (signer.uses?.signsLists !== true) refuse('crl_key_usage');
  const now = options.now.getTime();
  if (list.thisUpdate.getTime() > now + SKEW_MS || list.nextUpdate.getTime() <= now) refuse('crl_expired');
}

/**
 * An authority with a new key under its old name signs with that key, so all anchors of the profile
 * with this name are accepted.
 */
function findSigners({ authority }: RevocationReference, { profile, anchors, now }: RevocationOptions): Certificate[] {
  const renewed = anchors
    .filter((anchor) => anchor.profile === profile && anchor.certificate.subject === authority.subject)
    .map(({ certificate }) => certificate);
  return [authority, ...renewed].filter(({ notBefore, notAfter }) => now >= notBefore && now <= notAfter);
}

function isSignedBy({ signed, algorithm, signature }: Crl, { publicKey: { key } }: Certificate): boolean {
  if (!algorithm || key.asymmetricKeyType !== algorithm.keyType) return false;
  return verify(algorithm.hash, signed, key, signature);
}

/** Normalized as certificates' names are. */
export async function readIssuer(der: Buffer): Promise<string> {
  const { Name } = await loadX509();
  try {
    return Buffer.from(new Name(Uint8Array.from(der)).toArrayBuffer()).toString('hex');
  } catch {
    return refuse('crl_malformed');
  }
}
