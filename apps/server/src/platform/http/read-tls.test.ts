// Every invalid certificate or key gets its own explanation.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { StartError } from '../base/errors.ts';
import { readTls } from './served-certificate.ts';

const pem = (name: string) => readFileSync(fileURLToPath(new URL(`../../../testing/tls/${name}.pem`, import.meta.url)));
const CERT = pem('cert');
const KEY = pem('key');

function read(cert: Buffer | string | undefined, key: Buffer | string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'limen-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, 'c'), keyFile: join(folder, 'k') };
  if (cert !== undefined) writeFileSync(files.certFile, cert);
  if (key !== undefined) writeFileSync(files.keyFile, key);
  try {
    return readTls(files).certificate.subject;
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    return (error as Error).message.replaceAll(folder, '');
  }
}

function newKey(bits?: number, lock?: { cipher: string; passphrase: string }): string {
  const privateKeyEncoding = { type: 'pkcs8' as const, format: 'pem' as const, ...lock };
  const publicKeyEncoding = { type: 'spki' as const, format: 'pem' as const };
  return bits === undefined
    ? generateKeyPairSync('ec', { namedCurve: 'P-256', privateKeyEncoding, publicKeyEncoding }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: bits, privateKeyEncoding, publicKeyEncoding }).privateKey;
}

it('reads a pair, even with text around the certificate and a chain after it', () => {
  expect(read(CERT, KEY)).toBe('CN=limen test only');
  expect(read(`issued to: us\n${CERT}\n${CERT}`, KEY)).toBe('CN=limen test only');
});

it.each([
  ['a missing certificate', undefined, KEY, 'TLS_CERT: the file /c cannot be read (ENOENT).'],
  ['a missing key', CERT, undefined, 'TLS_KEY: the file /k cannot be read (ENOENT).'],
  ['an empty certificate', '', KEY, 'TLS_CERT: the file /c contains no certificate in PEM format.'],
  [
    'a binary certificate',
    new X509Certificate(CERT).raw,
    KEY,
    'TLS_CERT: the file /c contains no certificate in PEM format.',
  ],
  ['a key that is not PEM', CERT, 'secret', 'TLS_KEY: the file /k contains no private key in PEM format.'],
  [
    'swapped files',
    KEY,
    CERT,
    'TLS_CERT: the file /c contains no certificate in PEM format. It contains a private key, which belongs in TLS_KEY.',
  ],
  [
    'the certificate twice',
    CERT,
    CERT,
    'TLS_KEY: the file /k contains no private key in PEM format. It contains a certificate, which belongs in TLS_CERT.',
  ],
  ['a damaged certificate', CERT.subarray(0, 200), KEY, 'TLS_CERT: the certificate in /c is damaged.'],
  ['a damaged key', CERT, KEY.subarray(0, 60), 'TLS_KEY: the private key in /k is damaged.'],
  [
    'a key with a passphrase',
    CERT,
    newKey(undefined, { cipher: 'aes-256-cbc', passphrase: 'secret' }),
    'TLS_KEY: the key in /k is locked with a passphrase; store it without one, readable by this user only.',
  ],
  [
    'the key of another certificate',
    CERT,
    newKey(),
    'TLS_KEY does not belong to TLS_CERT: set both to the files of one certificate.',
  ],
  [
    'a key of another type',
    CERT,
    newKey(2048),
    'TLS_KEY does not belong to TLS_CERT: set both to the files of one certificate.',
  ],
])('explains what is wrong with %s', (_what, cert, key, sentence) => {
  expect(read(cert, key)).toBe(sentence);
});

it('reports a damaged certificate further down in the file', () => {
  const broken = CERT.toString().replace('\nMII', '\nAAA');
  expect(read(`${CERT}${broken}`, KEY)).toMatch(/^TLS_CERT and TLS_KEY cannot be used together \(OpenSSL says ERR_/);
});
