// Signs request objects for wallets that verify the requester (OpenID4VP 1.0, 5.9.3; RFC 9101;
// HAIP).
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { CompactSign } from 'jose';

/** Identifies the requester by the certificate's fingerprint, or by a host that it names. */
export type SignerName = { prefix: 'x509_hash' } | { prefix: 'x509_san_dns'; host: string };

export interface RequestSigner {
  clientId: string;
  /** With `x509_san_dns`: the host that must receive responses. */
  dnsName: string | null;
  /** DER in base64, leaf first, without the root (RFC 7515, 4.1.6). */
  x5c: readonly string[];
  privateKey: KeyObject;
}

/** A problem with certificate or key, described for the operator. */
export class SignerError extends Error {}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** The one algorithm that every wallet must support (HAIP 1.0, 7). */
const ALGORITHM = 'ES256';
const CURVE = 'prime256v1';
const MAX_CHAIN = 4;

export function readRequestSigner(certificatesPem: string, keyPem: string, name: SignerName): RequestSigner {
  const chain = readChain(certificatesPem);
  const leaf = chain[0]!;
  const privateKey = createPrivateKey(keyPem);
  if (!leaf.checkPrivateKey(privateKey)) throw new SignerError('The key does not belong to the certificate.');
  if (privateKey.asymmetricKeyDetails?.namedCurve !== CURVE) {
    throw new SignerError('The key must be on the curve P-256, because wallets need not support any other.');
  }
  const dnsName = name.prefix === 'x509_san_dns' ? requireHost(leaf, name.host) : null;
  const identity = dnsName ?? createHash('sha256').update(leaf.raw).digest('base64url');
  const x5c = chain
    .filter((certificate) => certificate === leaf || !isSelfSigned(certificate))
    .map(({ raw }) => raw.toString('base64'));
  return { clientId: `${name.prefix}:${identity}`, dnsName, x5c, privateKey };
}

function readChain(pem: string): X509Certificate[] {
  const blocks = pem.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new SignerError('The file contains no certificate.');
  if (blocks.length > MAX_CHAIN) throw new SignerError(`The file contains more than ${MAX_CHAIN} certificates.`);
  const chain = blocks.map(readCertificate);
  const isBroken = chain.some((certificate, at) => at > 0 && !isIssuedBy(chain[at - 1]!, certificate));
  if (isBroken) throw new SignerError('Each certificate in the file must be followed by its issuer.');
  return chain;
}

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new SignerError('A certificate in the file is damaged.');
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer;
}

/** Requires an exact match, because wallets compare literally and do not support wildcards. */
function requireHost({ subjectAltName }: X509Certificate, host: string): string {
  const names = (subjectAltName ?? '').split(', ').flatMap((entry) => /^DNS:(.+)$/.exec(entry)?.[1] ?? []);
  if (!names.includes(host)) throw new SignerError(`The certificate does not name the host ${host}.`);
  return host;
}

export function signRequestObject(signer: RequestSigner, payload: object): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'oauth-authz-req+jwt', x5c: [...signer.x5c] })
    .sign(signer.privateKey);
}
