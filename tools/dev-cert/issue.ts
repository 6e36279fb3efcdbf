// Makes the two certificates: the authority that a phone may trust, and the server's own, signed by it.
import { createPrivateKey, type KeyObject, webcrypto, type X509Certificate } from 'node:crypto';
import { loadX509, type X509 } from '../../packages/wallet/src/trust/load-x509.ts';
import { encodeConstraints, NAME_CONSTRAINTS } from './name-constraints.ts';
import type { Names } from './names.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 365;
/** Browsers refuse server certificates that live for more than 398 days; a short life costs one more call here. */
const CERTIFICATE_DAYS = 180;
/** A phone's clock may be a little late. */
const BACKDATED_MS = 3_600_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate with its private key, both as PEM. */
export interface Issued {
  certificate: string;
  key: string;
}

interface Authority {
  certificate: X509Certificate;
  key: KeyObject;
}

export async function issueAuthority(host: string, names: Names, now: number): Promise<Issued> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // Day and computer tell several of them apart in a phone's settings.
    name: [{ CN: [`Limen development CA, ${host}, ${new Date(now).toISOString().slice(0, 10)}`] }],
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now - BACKDATED_MS + AUTHORITY_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS, true, encodeConstraints([...names.dns, ...names.ip])),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

export async function issueCertificate(authority: Authority, names: Names, now: number): Promise<Issued> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(authority.certificate.raw);
  const notAfter = Math.min(now + CERTIFICATE_DAYS * DAY_MS, issuer.notAfter.getTime());
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: ['Limen development server'] }],
    issuer: issuer.subjectName,
    notBefore: new Date(Math.max(now - BACKDATED_MS, issuer.notBefore.getTime())),
    notAfter: new Date(notAfter),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([...namesOf(names)]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** The value of the authority's name constraints; empty where it has none. */
export async function readConstraints(certificate: X509Certificate): Promise<Buffer> {
  const x509: X509 = await loadX509();
  const extension = new x509.X509Certificate(certificate.raw).getExtension(NAME_CONSTRAINTS);
  return Buffer.from(extension?.value ?? new ArrayBuffer(0));
}

function namesOf({ dns, ip }: Names) {
  return [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...ip.map((value) => ({ type: 'ip' as const, value })),
  ];
}

function generateKeys() {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function importKey(key: KeyObject) {
  return webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), ALGORITHM, false, ['sign']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}
