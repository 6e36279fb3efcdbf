// Certificates of a test issuer: a root and a document signer (ISO/IEC 18013-5:2021, Tables B.1 and
// B.3).
import type { webcrypto } from 'node:crypto';
import type { Extension, X509CertificateCreateWithKeyParams } from '@peculiar/x509';
import type { Profile } from '../src/profiles/profiles.ts';
import { loadX509, type X509 } from '../src/trust/certificate.ts';

type CryptoKeyPair = webcrypto.CryptoKeyPair;

export interface CertificateOptions {
  name: string;
  issuerName: string;
  notBefore: Date;
  notAfter: Date;
  publicKey: CryptoKeyPair['publicKey'];
  signingKey: CryptoKeyPair['privateKey'];
  extensions: readonly Extension[];
  /** Hash of the signature. Default: SHA-256. */
  hash?: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const KEY_CERT_SIGN_AND_CRL_SIGN = 32 | 64;
const DIGITAL_SIGNATURE = 1;

export async function makeCertificate(options: CertificateOptions): Promise<Uint8Array> {
  const x509 = await loadX509();
  const { name, issuerName, notBefore, notAfter, publicKey, signingKey, extensions } = options;
  // The library's types use the names of browser keys for the same keys.
  const keys = { publicKey, signingKey } as unknown as Pick<
    X509CertificateCreateWithKeyParams,
    'publicKey' | 'signingKey'
  >;
  const made = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: issuerName,
    notBefore,
    notAfter,
    ...keys,
    signingAlgorithm: { ...ALGORITHM, ...(options.hash !== undefined && { hash: options.hash }) },
    extensions: [...extensions],
  });
  return new Uint8Array(made.rawData);
}

export function rootExtensions(x509: X509): Extension[] {
  return [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(KEY_CERT_SIGN_AND_CRL_SIGN, true),
  ];
}

export function listExtensions(x509: X509, addresses: readonly string[] = []): Extension[] {
  return addresses.length > 0 ? [new x509.CRLDistributionPointsExtension([...addresses])] : [];
}

export function signerExtensions(x509: X509, profile: Profile): Extension[] {
  return [
    new x509.KeyUsagesExtension(DIGITAL_SIGNATURE, true),
    new x509.ExtendedKeyUsageExtension(profile.signerUses.slice(0, 1), true),
  ];
}
