// The parts of a certificate that trust depends on: names, validity, and permitted key usage.
import { hash, X509Certificate as NativeCertificate } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';
import { describeKeyKind, type VerifyingKey } from '../cose/key.ts';
import { refuse } from '../refusals.ts';

/** Maximum clock skew of issuers and authorities. */
export const SKEW_MS = 300_000;

/** Loads the certificate library on first use, because that takes most of a second. */
export type X509 = typeof import('@peculiar/x509');

export async function loadX509(): Promise<X509> {
  // The library's container requires it at load time.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Superfluous sign bytes, which DER forbids (X.690, 8.3.2). */
const REDUNDANT = /^(?:00(?=[0-7])|ff(?=[89a-f]))+/;

/**
 * Reads the serial number from the integer's bytes, in hex. RFC 5280, 4.1.2.2: some authorities
 * omit the zero byte that keeps a number positive. Both forms denote the same certificate.
 */
export function normalizeSerial(hex: string): string {
  return hex
    .toLowerCase()
    .replace(REDUNDANT, '')
    .replace(/^00(?=.)/, '');
}

export interface Certificate {
  /** Verifies signatures ten times as fast as the certificate library. */
  native: NativeCertificate;
  publicKey: VerifyingKey;
  /** SHA-256 of the whole certificate, base64. */
  digest: string;
  /** Serial number in the normalized form for revocation lists. */
  serial: string;
  /** Names as bytes in hex, compared exactly. */
  subject: string;
  issuer: string;
  notBefore: Date;
  notAfter: Date;
  /** Authority constraints. Null if it must not issue certificates. */
  authority: { pathLength: number } | null;
  uses: KeyUses | null;
  purposes: readonly string[];
  criticalExtensions: readonly string[];
  /** http or https URLs of its authority's revocation list. Null if it names none. */
  revocationLists: readonly string[] | null;
  /** ISO 3166-1 country of the subject, or else of the issuer. */
  country: string | null;
  isSignedWell: boolean;
}

interface KeyUses {
  signs: boolean;
  signsCertificates: boolean;
  /** Whether the certificate may sign revocation lists. */
  signsLists: boolean;
}

const MAX_CERTIFICATE_BYTES = 4096;
const SIGNATURES = new Set(['ECDSA', 'Ed25519', 'EdDSA']);
const WEAK_HASHES = new Set(['SHA-1']);
const COUNTRY = /^[A-Z]{2}$/;
/** keyUsage bits, as defined by the library. */
const [DIGITAL_SIGNATURE, KEY_CERT_SIGN, CRL_SIGN] = [1, 32, 64];
const MAX_ADDRESSES = 4;
const MAX_ADDRESS_CHARS = 2048;

/** Cache size. Parsing a certificate is the slowest step. */
const known = new Map<string, Certificate>();
const MAX_KNOWN = 256;

export async function readCertificate(der: Uint8Array): Promise<Certificate> {
  if (der.length > MAX_CERTIFICATE_BYTES) refuse('certificate_malformed');
  const digest = hash('sha256', der, 'base64');
  return known.get(digest) ?? parseCertificate(await loadX509(), der, digest);
}

/** Caches only certificates of trusted issuers, so that no one else can evict them. */
export function rememberCertificate(certificate: Certificate): void {
  const { digest } = certificate;
  if (known.has(digest)) return;
  const [oldest] = known.keys();
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(digest, certificate);
}

function parseCertificate(x509: X509, der: Uint8Array, digest: string): Certificate {
  try {
    const native = new NativeCertificate(der);
    // The native parser ignores trailing bytes.
    if (native.raw.length !== der.length) return refuse('certificate_malformed');
    return describe(x509, native, new x509.X509Certificate(Uint8Array.from(der)), digest);
  } catch {
    return refuse('certificate_malformed');
  }
}

function describe(x509: X509, native: NativeCertificate, read: X509Certificate, digest: string): Certificate {
  const constraints = read.getExtension(x509.BasicConstraintsExtension);
  const usages = read.getExtension(x509.KeyUsagesExtension)?.usages;
  return {
    native,
    publicKey: { key: native.publicKey, kind: describeKeyKind(native.publicKey) },
    digest,
    // Compares bytes, because the native parser prints negative numbers as sign and absolute value.
    serial: normalizeSerial(read.serialNumber),
    subject: toHex(read.subjectName.toArrayBuffer()),
    issuer: toHex(read.issuerName.toArrayBuffer()),
    notBefore: read.notBefore,
    notAfter: read.notAfter,
    authority: constraints?.ca ? { pathLength: constraints.pathLength ?? Number.POSITIVE_INFINITY } : null,
    uses:
      usages === undefined
        ? null
        : {
            signs: (usages & DIGITAL_SIGNATURE) !== 0,
            signsCertificates: (usages & KEY_CERT_SIGN) !== 0,
            signsLists: (usages & CRL_SIGN) !== 0,
          },
    purposes: (read.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? []).map(String),
    criticalExtensions: read.extensions.filter(({ critical }) => critical).map(({ type }) => type),
    revocationLists: readDistributionPoints(x509, read),
    country: [...read.subjectName.getField('C'), ...read.issuerName.getField('C')].find((c) => COUNTRY.test(c)) ?? null,
    isSignedWell: isSignedWell(read),
  };
}

/** RFC 5280, 4.2.1.13. Lists of some reasons or of another authority are not supported. */
function readDistributionPoints(x509: X509, read: X509Certificate): string[] | null {
  const extension = read.getExtension(x509.CRLDistributionPointsExtension);
  if (!extension) return null;
  const names = [...extension.distributionPoints]
    .filter((point) => point.reasons === undefined && point.cRLIssuer === undefined)
    .flatMap((point) => point.distributionPoint?.fullName ?? []);
  return names
    .flatMap(({ uniformResourceIdentifier: uri }) => uri ?? [])
    .filter((uri) => uri.length <= MAX_ADDRESS_CHARS && URL.canParse(uri) && /^https?:/i.test(uri))
    .slice(0, MAX_ADDRESSES);
}

function isSignedWell({ signatureAlgorithm }: X509Certificate): boolean {
  const { name, hash } = signatureAlgorithm as unknown as { name: string; hash?: { name: string } };
  return SIGNATURES.has(name) && !WEAK_HASHES.has(hash?.name ?? '');
}

function toHex(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('hex');
}
