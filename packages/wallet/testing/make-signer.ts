// A certificate for signed requests, as an operator would configure it.
import { webcrypto } from 'node:crypto';
import { type ClientIdPrefix, type RequestSigner, readRequestSigner } from '../src/index.ts';
import { loadX509 } from '../src/trust/load-x509.ts';
import { makeCertificate } from '../test-issuer/make-certificates.ts';
import { deriveSigningKeys } from '../test-issuer/test-issuer.ts';
import { NOW } from './requests.ts';

const DAY_MS = 86_400_000;

export async function makeRequestSigner(prefix: ClientIdPrefix, host = 'age.example'): Promise<RequestSigner> {
  const x509 = await loadX509();
  const keys = await deriveSigningKeys(new Uint8Array(32), 7);
  const der = await makeCertificate({
    name: 'CN=age.example',
    issuerName: 'CN=Authority of readers',
    notBefore: NOW,
    notAfter: new Date(NOW.getTime() + 30 * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return readRequestSigner(
    `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`,
    `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
    prefix,
  );
}
