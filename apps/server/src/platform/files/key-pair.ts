// Reads a certificate and its key from PEM files that settings name. Its errors are sentences for the operator.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartError } from '../base/errors.ts';

export interface KeyPairFiles {
  certFile: string;
  keyFile: string;
}

interface KeyPairSettings {
  cert: string;
  key: string;
}

export type KeyPair = ReturnType<typeof readKeyPair>;

/** Returns the files as they were read, which may include intermediate certificates, and parsed. */
export function readKeyPair(settings: KeyPairSettings, { certFile, keyFile }: KeyPairFiles) {
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

export function readCertificate(settings: KeyPairSettings, file: string) {
  const pem = readFile(settings.cert, file);
  if (!hasBlock(pem, 'CERTIFICATE')) {
    const hint = hasBlock(pem, 'PRIVATE KEY') ? ` It contains a private key, which belongs in ${settings.key}.` : '';
    throw new StartError(`${settings.cert}: the file ${file} contains no certificate in PEM format.${hint}`);
  }
  try {
    return { pem, certificate: new X509Certificate(pem) };
  } catch {
    throw new StartError(`${settings.cert}: the certificate in ${file} is damaged.`);
  }
}

function readFile(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartError(`${setting}: the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function parseKey(settings: KeyPairSettings, pem: Buffer, file: string) {
  if (!hasBlock(pem, 'PRIVATE KEY')) {
    const hint = hasBlock(pem, 'CERTIFICATE') ? ` It contains a certificate, which belongs in ${settings.cert}.` : '';
    throw new StartError(`${settings.key}: the file ${file} contains no private key in PEM format.${hint}`);
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

/** Also finds `EC PRIVATE KEY`, `ENCRYPTED PRIVATE KEY` and `TRUSTED CERTIFICATE`. */
function hasBlock(pem: Buffer, label: string): boolean {
  return new RegExp(`^-----BEGIN ([A-Z0-9]+ )*${label}-----`, 'm').test(pem.toString('latin1'));
}
