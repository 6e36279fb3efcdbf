// Certificates for signed requests, as an operator would configure them: a verifier's, and its
// authority's.
import { webcrypto } from 'node:crypto';
import { type RequestSigner, readRequestSigner, type SignerName } from '../src/index.ts';
import { loadX509 } from '../src/trust/certificate.ts';
import { makeCertificate, rootExtensions } from '../test-issuer/make-certificates.ts';
import { deriveSigningKeys } from '../test-issuer/test-issuer.ts';
import { NOW } from './requests.ts';

const DAY_MS = 86_400_000;
const AUTHORITY = 'CN=Authority of readers';
export const HOST = 'age.example';

export interface SignerFiles {
  certificate: string;
  key: string;
  /** Root that wallets trust. Not part of the request. */
  root: string;
}

export interface SignerFilesOptions {
  host?: string;
  notBefore?: Date;
  notAfter?: Date;
  /** Curve of the verifier's key. Wallets support P-256. */
  curve?: 'P-384';
}

export async function makeSignerFiles(options: SignerFilesOptions = {}): Promise<SignerFiles> {
  const { host = HOST, curve, notBefore = NOW, notAfter = new Date(notBefore.getTime() + 30 * DAY_MS) } = options;
  const x509 = await loadX509();
  const seed = webcrypto.getRandomValues(new Uint8Array(32));
  const [root, own] = await Promise.all([
    deriveSigningKeys(seed, 6),
    curve ? generateKeys(curve) : deriveSigningKeys(seed, 7),
  ]);
  const shared = { issuerName: AUTHORITY, notBefore, notAfter, signingKey: root.privateKey };
  const [rootDer, ownDer] = await Promise.all([
    makeCertificate({ ...shared, name: AUTHORITY, publicKey: root.publicKey, extensions: rootExtensions(x509) }),
    makeCertificate({
      ...shared,
      name: `CN=${host}`,
      publicKey: own.publicKey,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
    }),
  ]);
  const pkcs8 = new Uint8Array(await webcrypto.subtle.exportKey('pkcs8', own.privateKey));
  return {
    certificate: writePem('CERTIFICATE', ownDer),
    key: writePem('PRIVATE KEY', pkcs8),
    root: writePem('CERTIFICATE', rootDer),
  };
}

export async function makeRequestSigner(
  prefix: SignerName['prefix'],
): Promise<{ signer: RequestSigner; root: string }> {
  const { certificate, key, root } = await makeSignerFiles();
  const name: SignerName = prefix === 'x509_san_dns' ? { prefix, host: HOST } : { prefix };
  return { signer: readRequestSigner(certificate, key, name), root };
}

function generateKeys(namedCurve: string): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve }, true, ['sign', 'verify']);
}

function writePem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
}
