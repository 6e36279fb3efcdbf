// A certificate as far as trust asks: whose it is, whom it was issued by, when it is valid, and what its key may do.
import { hash, X509Certificate as NativeCertificate } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';
import { kindOf, type VerifyingKey } from '../cose/key.ts';
import { refuse } from '../refusals.ts';

/** A clock of an issuer or authority may be ahead of ours by this much. */
export const SKEW_MS = 300_000;

/** Loads the library that reads certificates, only when there is one to be read: it takes most of a second. */
export type X509 = typeof import('@peculiar/x509');

export async function loadX509(): Promise<X509> {
  // The library's container asks for it while it loads.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** More bytes of the sign than need be, which DER forbids (X.690, 8.3.2). */
const REDUNDANT = /^(?:00(?=[0-7])|ff(?=[89a-f]))+/;

/**
 * From the bytes of the integer, in hex. RFC 5280, 4.1.2.2: there are negative ones, of authorities that left out the zero which keeps a
 * number from being negative; with it or without, the same certificate is meant.
 */
export function normaliseSerial(hex: string): string {
  return hex
    .toLowerCase()
    .replace(REDUNDANT, '')
    .replace(/^00(?=.)/, '');
}

export interface Certificate {
  /** Verifies signatures ten times as fast as the library that reads the rest. */
  native: NativeCertificate;
  publicKey: VerifyingKey;
  /** SHA-256 of the whole, base64. */
  digest: string;
  /** Its number at its authority, in the form that lists of revoked ones are compared in. */
  serial: string;
  /** Names as their bytes, in hex: they must be equal to the bit. */
  subject: string;
  issuer: string;
  notBefore: Date;
  notAfter: Date;
  /** Whether it may issue others; null is "no authority". */
  authority: { pathLength: number } | null;
  uses: KeyUses | null;
  purposes: readonly string[];
  criticalExtensions: readonly string[];
  /** Where its authority lists those that it revoked, by http or https; null where it does not say. */
  revocationLists: readonly string[] | null;
  /** As ISO 3166-1 has it, from the subject, else the issuer. */
  country: string | null;
  isSignedWell: boolean;
}

interface KeyUses {
  signs: boolean;
  signsCertificates: boolean;
  /** Lists of revoked certificates. */
  signsLists: boolean;
}

const MAX_CERTIFICATE_BYTES = 4096;
const SIGNATURES = new Set(['ECDSA', 'Ed25519', 'EdDSA']);
const WEAK_HASHES = new Set(['SHA-1']);
const COUNTRY = /^[A-Z]{2}$/;
/** keyUsage bits, as the library has them. */
const [DIGITAL_SIGNATURE, KEY_CERT_SIGN, CRL_SIGN] = [1, 32, 64];
const MAX_ADDRESSES = 4;
const MAX_ADDRESS_CHARS = 2048;

/** Document signers sign thousands of attestations each, and reading a certificate takes longer than the rest. */
const known = new Map<string, Certificate>();
const MAX_KNOWN = 256;

export async function readCertificate(der: Uint8Array): Promise<Certificate> {
  if (der.length > MAX_CERTIFICATE_BYTES) refuse('certificate_malformed');
  const digest = hash('sha256', der, 'base64');
  return known.get(digest) ?? parseCertificate(await loadX509(), der, digest);
}

/** Only those of trusted issuers, so that nobody else can push them out. */
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
    // The native reader ignores what comes after.
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
    publicKey: { key: native.publicKey, kind: kindOf(native.publicKey) },
    digest,
    // By its bytes: the native reader writes a negative one as a sign and its absolute value.
    serial: normaliseSerial(read.serialNumber),
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

/** RFC 5280, 4.2.1.13. Lists of some reasons only, or of another authority, are none that ISO/IEC 18013-5 has. */
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
