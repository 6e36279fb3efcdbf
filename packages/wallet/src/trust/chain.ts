// Verifies a chain from a document signer to an anchor of its profile (RFC 5280, 6.1, as far as
// ISO/IEC 18013-5:2021, 9.3.3 requires).
import { describeRefusal, type RefusalCode, refuse } from '../refusals.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import { type Certificate, readCertificate, rememberCertificate } from './certificate.ts';

/** A configured authority. */
interface Believed {
  certificate: Certificate;
}

export interface TrustedSigner<A extends Believed> {
  certificate: Certificate;
  anchor: A;
  /** Certificates of the chain that name a revocation list. */
  revocation: readonly RevocationReference[];
}

const MAX_CHAIN = 4;
const OID = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
};
/** Extensions that are checked here or irrelevant to trust. */
const UNDERSTOOD: ReadonlySet<string> = new Set(Object.values(OID));
/** Additionally the revocation list's URL, for callers that check it. */
const UNDERSTOOD_WITH_LISTS: ReadonlySet<string> = new Set([...UNDERSTOOD, '2.5.29.31']);

/** Required extended key usages of the leaf. */
export interface Purpose {
  oneOf: readonly string[];
  /** Whether the extension may be absent. */
  orNone?: boolean;
  /** Whether the lists named in `revocation` are checked. */
  looksUpLists?: boolean;
}

/** `chain` has the leaf first, as in RFC 9360. It may end with the anchor. */
export async function trustChain<A extends Believed>(
  chain: readonly Uint8Array[],
  anchors: readonly A[],
  purpose: Purpose,
  now: Date,
): Promise<TrustedSigner<A>> {
  if (chain.length === 0 || chain.length > MAX_CHAIN) refuse('certificate_missing');
  const read = await Promise.all(chain.map(readCertificate));
  const path = dropAnchor(read, anchors);
  const [signer] = path;
  const last = path.at(-1);
  if (!signer || !last) return refuse('issuer_untrusted');
  const anchor = findAnchor(last, anchors);
  const authorities = [...path.slice(1), anchor.certificate];
  path.forEach((certificate, at) => {
    checkIssuedBy(certificate, authorities[at] ?? refuse('issuer_untrusted'));
  });
  let below = 0;
  for (const authority of authorities) {
    checkAuthority(authority, below, purpose, now);
    // RFC 5280, 4.2.1.9: self-issued renewal certificates do not count.
    if (authority.subject !== authority.issuer) below += 1;
  }
  checkSigner(signer, purpose, now);
  path.forEach(rememberCertificate);
  return {
    certificate: signer,
    anchor,
    revocation: path.flatMap((certificate, at) => listReference(certificate, authorities[at])),
  };
}

function listReference(certificate: Certificate, authority: Certificate | undefined): RevocationReference[] {
  const addresses = certificate.revocationLists;
  return addresses && authority ? [{ addresses, certificate, authority }] : [];
}

/** An anchor sent by the wallet is trusted only because it is configured. */
function dropAnchor(chain: readonly Certificate[], anchors: readonly Believed[]): readonly Certificate[] {
  const last = chain.at(-1);
  const isAnchor = anchors.some(({ certificate }) => certificate.digest === last?.digest);
  return isAnchor ? chain.slice(0, -1) : chain;
}

/** Authorities renew certificates under one name, so the key selects among anchors. */
function findAnchor<A extends Believed>(certificate: Certificate, anchors: readonly A[]): A {
  const named = anchors.filter((anchor) => anchor.certificate.subject === certificate.issuer);
  const [first] = named;
  if (!first) return refuse('issuer_untrusted');
  if (named.length === 1) return first;
  return named.find((anchor) => isSignedBy(certificate, anchor.certificate)) ?? first;
}

function checkIssuedBy(certificate: Certificate, authority: Certificate): void {
  if (certificate.issuer !== authority.subject) refuse('certificate_names');
  if (!certificate.isSignedWell || !isSignedBy(certificate, authority)) refuse('certificate_signature');
}

/** Caches verified pairs: known certificates and anchors remain the same objects. */
const signedBy = new WeakMap<Certificate, WeakSet<Certificate>>();

function isSignedBy(certificate: Certificate, authority: Certificate): boolean {
  const authorities = signedBy.get(certificate);
  if (authorities?.has(authority)) return true;
  if (!certificate.native.verify(authority.publicKey.key)) return false;
  signedBy.set(certificate, (authorities ?? new WeakSet()).add(authority));
  return true;
}

/** Returns why nothing issued under an anchor can be accepted now, or null. */
export function faultOfAnchor({ certificate }: Believed, now: Date): RefusalCode | null {
  try {
    checkAuthority(certificate, 0, { looksUpLists: true }, now);
    return null;
  } catch (error) {
    return describeRefusal(error).refusal;
  }
}

function checkAuthority(
  authority: Certificate,
  authoritiesBelow: number,
  purpose: Pick<Purpose, 'looksUpLists'>,
  now: Date,
): void {
  checkCommon(authority, purpose, now);
  if (!authority.authority) refuse('certificate_not_authority');
  if (authority.authority.pathLength < authoritiesBelow) refuse('certificate_path_length');
  if (!authority.uses?.signsCertificates) refuse('certificate_key_usage');
}

function checkSigner(signer: Certificate, purpose: Purpose, now: Date): void {
  const { oneOf, orNone = false } = purpose;
  checkCommon(signer, purpose, now);
  if (signer.authority) refuse('certificate_not_authority');
  if (!signer.uses?.signs) refuse('certificate_key_usage');
  const isUnsaid = orNone && signer.purposes.length === 0;
  if (!isUnsaid && !signer.purposes.some((purpose) => oneOf.includes(purpose))) refuse('certificate_purpose');
}

function checkCommon(
  { notBefore, notAfter, criticalExtensions }: Certificate,
  { looksUpLists = false }: Pick<Purpose, 'looksUpLists'>,
  now: Date,
): void {
  const understood = looksUpLists ? UNDERSTOOD_WITH_LISTS : UNDERSTOOD;
  if (now < notBefore || now > notAfter) refuse('certificate_dates');
  if (criticalExtensions.some((type) => !understood.has(type))) refuse('certificate_critical_extension');
}
