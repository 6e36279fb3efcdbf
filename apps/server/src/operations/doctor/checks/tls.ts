// Checks the server's certificate: readable, matching its key, valid for a while yet, and for the address that others use.
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { printTime } from '../../../command-line/terminal/print-table.ts';
import type { Config } from '../../../config.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { readTls } from '../../../platform/http/read-tls.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

const RENEW_BEFORE_MS = 14 * 86_400_000;

export const checkTls: Check = async ({ config, clock }) => {
  const { TLS_CERT, TLS_KEY } = config;
  if (TLS_CERT === undefined || TLS_KEY === undefined) return [ok('off (TLS_CERT is not set)')];
  try {
    const { certificate } = readTls({ certFile: TLS_CERT, keyFile: TLS_KEY });
    const validity = judgeValidity(Date.parse(certificate.validFrom), Date.parse(certificate.validTo), clock.now());
    return [validity, ...judgeNames(certificate, config)];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [failure(error.message, 'set TLS_CERT and TLS_KEY to the PEM files of one certificate')];
  }
};

/** Behind a proxy others see the proxy's certificate, and this one may be for a name of its own. */
export function judgeNames(
  certificate: Pick<X509Certificate, 'checkHost' | 'checkIP'>,
  { PUBLIC_URL, TRUST_PROXY }: Pick<Config, 'PUBLIC_URL' | 'TRUST_PROXY'>,
): Finding[] {
  if (PUBLIC_URL === undefined || TRUST_PROXY !== false) return [];
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol !== 'https:') {
    return [warning('PUBLIC_URL is not https, but the service is', 'start PUBLIC_URL with https://')];
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  const isCovered = (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  if (isCovered) return [];
  const remedy = 'use a certificate for that name; in development: npm run dev-cert';
  return [failure(`the certificate is not for ${host}, the host of PUBLIC_URL`, remedy)];
}

export function judgeValidity(from: number, to: number, now: number): Finding {
  const remedy = 'renew the certificate; the server takes the new files within a minute, or at once on SIGHUP';
  if (now < from) return failure(`the certificate is not valid before ${printTime(from)}`, 'check the clock');
  if (now > to) return failure(`the certificate expired at ${printTime(to)}`, remedy);
  const found = `certificate valid until ${printTime(to)}`;
  return to - now < RENEW_BEFORE_MS ? warning(found, remedy) : ok(found);
}
