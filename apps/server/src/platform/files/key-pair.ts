// Reads a certificate and its key from PEM files that settings name, and says in one sentence what is wrong with them.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartError } from '../base/errors.ts';

export interface KeyPairFiles {
  certFile: string;
  keyFile: string;
}

/** The settings that name the files, for the sentences. */
export interface KeyPairSettings {
  cert: string;
  key: string;
}

export interface KeyPair {
  /** As it was read: below the first there may be those of authorities in between. */
  cert: Buffer;
  key: Buffer;
  certificate: X509Certificate;
  privateKey: KeyObject;
}

export function readKeyPair(settings: KeyPairSettings, { certFile, keyFile }: KeyPairFiles): KeyPair {
  const { pem: cert, certificate } = readCertificate(settings, certFile);
  const key = readFile(settings.key, keyFile);
  const privateKey = parseKey(settings, key, keyFile);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError(
      `${settings.key} does not belong to ${settings.cert}: set both to the files of one certificate.`,
    );
  }
  return { cert, key, certificate, privateKey };
}

/** `settings.key` is named if the file holds a private key. */
export function readCertificate(
  settings: KeyPairSettings,
  file: string,
): { pem: Buffer; certificate: X509Certificate } {
  const pem = readFile(settings.cert, file);
  return { pem, certificate: parseCertificate(settings, pem, file) };
}

function readFile(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartError(`${setting}: the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function parseCertificate(settings: KeyPairSettings, pem: Buffer, file: string): X509Certificate {
  if (!hasBlock(pem, 'CERTIFICATE')) {
    const found = hasBlock(pem, 'PRIVATE KEY') ? ` It contains a private key, which belongs in ${settings.key}.` : '';
    throw new StartError(`${settings.cert}: the file ${file} contains no certificate in PEM format.${found}`);
  }
  try {
    return new X509Certificate(pem);
  } catch {
    throw new StartError(`${settings.cert}: the certificate in ${file} is damaged.`);
  }
}

function parseKey(settings: KeyPairSettings, pem: Buffer, file: string): KeyObject {
  if (!hasBlock(pem, 'PRIVATE KEY')) {
    const found = hasBlock(pem, 'CERTIFICATE') ? ` It contains a certificate, which belongs in ${settings.cert}.` : '';
    throw new StartError(`${settings.key}: the file ${file} contains no private key in PEM format.${found}`);
  }
  if (pem.includes('ENCRYPTED')) {
    throw new StartError(
      `${settings.key}: the key in ${file} is locked with a passphrase; store it without one, readable by this user only.`,
    );
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw new StartError(`${settings.key}: the private key in ${file} is damaged.`);
  }
}

/** Also `EC PRIVATE KEY`, `ENCRYPTED PRIVATE KEY` and `TRUSTED CERTIFICATE`. */
function hasBlock(pem: Buffer, label: string): boolean {
  return new RegExp(`^-----BEGIN ([A-Z0-9]+ )*${label}-----`, 'm').test(pem.toString('latin1'));
}
