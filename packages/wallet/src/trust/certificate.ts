// A certificate as far as trust asks: whose it is, whom it was issued by, when it is valid, and what its key may do.
import { createHash, X509Certificate as NativeCertificate } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';
import { kindOf, type VerifyingKey } from '../cose/key.ts';
import { refuse } from '../refusals.ts';
import { loadX509, type X509 } from './load-x509.ts';

export interface Certificate {
  /** Verifies signatures ten times as fast as the library that reads the rest. */
  native: NativeCertificate;
  publicKey: VerifyingKey;
  /** SHA-256 of the whole, base64. */
  digest: string;
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
  /** As ISO 3166-1 has it, from the subject, else the issuer. */
  country: string | null;
  isSignedWell: boolean;
}

interface KeyUses {
  signs: boolean;
  signsCertificates: boolean;
}

const MAX_CERTIFICATE_BYTES = 4096;
const SIGNATURES = new Set(['ECDSA', 'Ed25519', 'EdDSA']);
const WEAK_HASHES = new Set(['SHA-1']);
const COUNTRY = /^[A-Z]{2}$/;
/** keyUsage bits, as the library has them. */
const [DIGITAL_SIGNATURE, KEY_CERT_SIGN] = [1, 32];

/** Document signers sign thousands of attestations each, and reading a certificate takes longer than the rest. */
const known = new Map<string, Certificate>();
const MAX_KNOWN = 256;

export async function readCertificate(der: Uint8Array): Promise<Certificate> {
  if (der.length > MAX_CERTIFICATE_BYTES) refuse('certificate_malformed');
  const digest = createHash('sha256').update(der).digest('base64');
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
    subject: toHex(read.subjectName.toArrayBuffer()),
    issuer: toHex(read.issuerName.toArrayBuffer()),
    notBefore: read.notBefore,
    notAfter: read.notAfter,
    authority: constraints?.ca ? { pathLength: constraints.pathLength ?? Number.POSITIVE_INFINITY } : null,
    uses:
      usages === undefined
        ? null
        : { signs: (usages & DIGITAL_SIGNATURE) !== 0, signsCertificates: (usages & KEY_CERT_SIGN) !== 0 },
    purposes: (read.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? []).map(String),
    criticalExtensions: read.extensions.filter(({ critical }) => critical).map(({ type }) => type),
    country: [...read.subjectName.getField('C'), ...read.issuerName.getField('C')].find((c) => COUNTRY.test(c)) ?? null,
    isSignedWell: isSignedWell(read),
  };
}

function isSignedWell({ signatureAlgorithm }: X509Certificate): boolean {
  const { name, hash } = signatureAlgorithm as unknown as { name: string; hash?: { name: string } };
  return SIGNATURES.has(name) && !WEAK_HASHES.has(hash?.name ?? '');
}

function toHex(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('hex');
}
