// Signs request objects for wallets that want to know who asks (OpenID4VP 1.0, 5.9.3; HAIP).
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { CompactSign } from 'jose';

export type ClientIdPrefix = 'x509_san_dns' | 'x509_hash';

export interface RequestSigner {
  clientId: string;
  /** With `x509_san_dns`: the host that answers must go to. */
  dnsName: string | null;
  algorithm: 'ES256' | 'ES384' | 'ES512';
  /** DER in base64, leaf first, without the root. */
  x5c: readonly string[];
  privateKey: KeyObject;
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const ALGORITHMS: Readonly<Record<string, RequestSigner['algorithm']>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Fails with what is wrong about the files; a service says so at its start. */
export function readRequestSigner(certificatesPem: string, keyPem: string, prefix: ClientIdPrefix): RequestSigner {
  const chain = (certificatesPem.match(PEM_CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
  const [leaf] = chain;
  if (!leaf) throw new Error('There is no certificate in the file.');
  const privateKey = createPrivateKey(keyPem);
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('The key is not that of the certificate.');
  const algorithm = ALGORITHMS[privateKey.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!algorithm) throw new Error('The key must be on P-256, P-384 or P-521.');
  const dnsName = prefix === 'x509_san_dns' ? readDnsName(leaf) : null;
  const identity = dnsName ?? createHash('sha256').update(leaf.raw).digest('base64url');
  const x5c = chain
    .filter((one) => one.subject !== one.issuer || one === leaf)
    .map(({ raw }) => raw.toString('base64'));
  return { clientId: `${prefix}:${identity}`, dnsName, algorithm, x5c, privateKey };
}

function readDnsName({ subjectAltName }: X509Certificate): string {
  const name = subjectAltName
    ?.split(', ')
    .find((entry) => entry.startsWith('DNS:'))
    ?.slice('DNS:'.length);
  if (!name || name.includes('*')) throw new Error('The certificate names no host that x509_san_dns could use.');
  return name;
}

export function signRequestObject(signer: RequestSigner, payload: object): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: signer.algorithm, typ: 'oauth-authz-req+jwt', x5c: [...signer.x5c] })
    .sign(signer.privateKey);
}
