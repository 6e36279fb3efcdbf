// Reads the server's certificate and key, and says in one sentence what is wrong with them before anything listens.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { StartError } from '../errors.ts';

export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

export interface Tls {
  /** As it was read: below the server's own there may be those of authorities in between. */
  cert: Buffer;
  key: Buffer;
  certificate: X509Certificate;
}

export function readTls({ certFile, keyFile }: TlsFiles): Tls {
  const cert = readFile('TLS_CERT', certFile);
  const key = readFile('TLS_KEY', keyFile);
  const certificate = parseCertificate(cert, certFile);
  if (!certificate.checkPrivateKey(parseKey(key, keyFile))) {
    throw new StartError('TLS_KEY does not belong to TLS_CERT: set both to the files of one certificate.');
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    // Whatever else: a key that is too short for today's rules, a broken certificate further down in the file.
    const { code = 'no code' } = error as NodeJS.ErrnoException;
    throw new StartError(`TLS_CERT and TLS_KEY cannot be used together (OpenSSL says ${code}).`);
  }
  return { cert, key, certificate };
}

function readFile(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartError(`${setting}: the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  if (!hasBlock(pem, 'CERTIFICATE')) {
    const found = hasBlock(pem, 'PRIVATE KEY') ? ' It contains a private key, which belongs in TLS_KEY.' : '';
    throw new StartError(`TLS_CERT: the file ${file} contains no certificate in PEM format.${found}`);
  }
  try {
    return new X509Certificate(pem);
  } catch {
    throw new StartError(`TLS_CERT: the certificate in ${file} is damaged.`);
  }
}

function parseKey(pem: Buffer, file: string): KeyObject {
  if (!hasBlock(pem, 'PRIVATE KEY')) {
    const found = hasBlock(pem, 'CERTIFICATE') ? ' It contains a certificate, which belongs in TLS_CERT.' : '';
    throw new StartError(`TLS_KEY: the file ${file} contains no private key in PEM format.${found}`);
  }
  if (pem.includes('ENCRYPTED')) {
    throw new StartError(
      `TLS_KEY: the key in ${file} is locked with a passphrase; store it without one, readable by this user only.`,
    );
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw new StartError(`TLS_KEY: the private key in ${file} is damaged.`);
  }
}

/** Also `EC PRIVATE KEY`, `ENCRYPTED PRIVATE KEY` and `TRUSTED CERTIFICATE`. */
function hasBlock(pem: Buffer, label: string): boolean {
  return new RegExp(`^-----BEGIN ([A-Z0-9]+ )*${label}-----`, 'm').test(pem.toString('latin1'));
}
