// Trust anchors: authorities of document signers, each for one profile.
import { createHash } from 'node:crypto';
import { isBytes } from '../cbor/codec.ts';
import type { ProfileId } from '../profiles/profiles.ts';
import { RefusalError } from '../refusals.ts';
import { type Certificate, readCertificate } from './certificate.ts';

export interface TrustAnchor {
  profile: ProfileId;
  /** Whether the anchor belongs to a test issuer, which is only accepted in test and development. */
  isTest: boolean;
  certificate: Certificate;
}

/** Public facts for lists and warnings. */
export interface AnchorDescription {
  profile: ProfileId;
  isTest: boolean;
  /** SHA-256 of the certificate, in hex. */
  fingerprint: string;
  name: string;
  country: string | null;
  notBefore: Date;
  notAfter: Date;
}

export class AnchorError extends Error {}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;

/** Reads every certificate of a PEM file. Throws `AnchorError` if one cannot be an anchor. */
export async function readAnchors(
  pem: string,
  profile: ProfileId,
  { isTest = false }: { isTest?: boolean } = {},
): Promise<TrustAnchor[]> {
  return Promise.all(readPem(pem).map((der) => readAnchor(der, profile, isTest)));
}

/** Reads every certificate of a PEM file as a signer. Throws `AnchorError`. */
export async function readSigners(pem: string): Promise<Certificate[]> {
  return Promise.all(readPem(pem).map(readOrFail));
}

export async function readAnchor(der: Uint8Array, profile: ProfileId, isTest = false): Promise<TrustAnchor> {
  const certificate = await readOrFail(der);
  if (!certificate.authority) throw new AnchorError('The certificate is not that of an authority.');
  return { profile, isTest, certificate };
}

/** Returns null for an entry of a list that cannot be an anchor. */
export async function readEntry(der: unknown, profile: ProfileId): Promise<TrustAnchor | null> {
  if (!isBytes(der)) return null;
  return readAnchor(der, profile).catch((error: unknown) => {
    if (error instanceof AnchorError) return null;
    throw error;
  });
}

export function describeAnchor({ profile, isTest, certificate }: TrustAnchor): AnchorDescription {
  const { native, country, notBefore, notAfter } = certificate;
  const fingerprint = createHash('sha256').update(native.raw).digest('hex');
  return { profile, isTest, fingerprint, name: native.subject.replaceAll('\n', ', '), country, notBefore, notAfter };
}

export function writeAnchor({ certificate }: TrustAnchor): string {
  return certificate.native.toString();
}

function readPem(pem: string): Buffer[] {
  const found = [...pem.matchAll(PEM_CERTIFICATE)].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
  if (found.length === 0) throw new AnchorError('The file contains no certificate.');
  return found;
}

async function readOrFail(der: Uint8Array): Promise<Certificate> {
  return readCertificate(der).catch((error: unknown) => {
    throw error instanceof RefusalError ? new AnchorError('The certificate cannot be read.') : error;
  });
}
