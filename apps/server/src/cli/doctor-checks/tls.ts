// Checks the server's certificate: readable, matching its key, and valid for a while yet.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { printTime } from '../print-table.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

const RENEW_BEFORE_MS = 14 * 86_400_000;

export const checkTls: Check = async ({ config: { TLS_CERT, TLS_KEY }, clock }) => {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return [ok('off (TLS_CERT is not set)')];
  const certificate = read(TLS_CERT, (pem) => new X509Certificate(pem));
  const key = read(TLS_KEY, (pem) => createPrivateKey(pem));
  if (!certificate)
    return [failure(`TLS_CERT: ${TLS_CERT} is not a certificate that can be read (PEM)`, 'set TLS_CERT')];
  if (!key) return [failure(`TLS_KEY: ${TLS_KEY} is not a private key that can be read (PEM)`, 'set TLS_KEY')];
  if (!certificate.checkPrivateKey(key)) {
    return [failure('TLS_KEY does not belong to TLS_CERT', 'set both to the files of one certificate')];
  }
  return [judgeValidity(Date.parse(certificate.validFrom), Date.parse(certificate.validTo), clock.now())];
};

export function judgeValidity(from: number, to: number, now: number): Finding {
  const remedy = 'renew the certificate, then restart the server';
  if (now < from) return failure(`the certificate is not valid before ${printTime(from)}`, 'check the clock');
  if (now > to) return failure(`the certificate ran out at ${printTime(to)}`, remedy);
  const found = `certificate valid until ${printTime(to)}`;
  return to - now < RENEW_BEFORE_MS ? warning(found, remedy) : ok(found);
}

function read<T>(path: string, parse: (pem: Buffer) => T): T | undefined {
  try {
    return parse(readFileSync(path));
  } catch {
    return undefined;
  }
}
