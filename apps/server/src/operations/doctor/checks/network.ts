// Checks how others reach the server: its certificate, proxy and passkey host, and the operators' identity provider.
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { printTime } from '../../../command-line/terminal/print-table.ts';
import type { Config } from '../../../config.ts';
import { createIdentityProvider } from '../../../console/operators/identity-provider.ts';
import { identitySettings } from '../../../console/settings.ts';
import { AppError, StartError } from '../../../platform/base/errors.ts';
import { originAt } from '../../../platform/http/listener.ts';
import { readTls } from '../../../platform/http/served-certificate.ts';
import { sawUntrustedProxy } from '../../../platform/http/untrusted-proxy.ts';
import { findRelyingParty, isPasskeyHost, passkeyRemedy } from '../../../platform/webauthn/relying-party.ts';
import { needsProxy } from '../../settings.ts';
import { type DoctorCheck, type DoctorFinding, failure, ok, warning } from './check.ts';

const RENEW_BEFORE_MS = 14 * 86_400_000;

export const checkTls: DoctorCheck = async ({ config, clock }) => {
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

/** Clients of a trusted proxy see its certificate, so this one may have another name. */
export function judgeNames(
  certificate: Pick<X509Certificate, 'checkHost' | 'checkIP'>,
  { PUBLIC_URL, TRUST_PROXY }: Pick<Config, 'PUBLIC_URL' | 'TRUST_PROXY'>,
): DoctorFinding[] {
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

export function judgeValidity(from: number, to: number, now: number): DoctorFinding {
  const remedy = 'renew the certificate; the server takes the new files within a minute, or at once on SIGHUP';
  if (now < from) return failure(`the certificate is not valid before ${printTime(from)}`, 'check the clock');
  if (now > to) return failure(`the certificate expired at ${printTime(to)}`, remedy);
  const found = `certificate valid until ${printTime(to)}`;
  return to - now < RENEW_BEFORE_MS ? warning(found, remedy) : ok(found);
}

export const checkProxy: DoctorCheck = async ({ config }) => {
  if (config.TRUST_PROXY !== false) return [ok('a proxy is trusted (TRUST_PROXY)')];
  const remedy = 'set TRUST_PROXY to the address of the proxy';
  if (sawUntrustedProxy(config.DATA_DIR)) {
    return [warning('requests came through a proxy that is not trusted: all its clients count as one address', remedy)];
  }
  if (!needsProxy(config)) return [ok('none was seen')];
  const found = 'PUBLIC_URL is https and TLS_CERT is not set, so a proxy must be in front; it is not trusted';
  return [warning(found, remedy)];
};

export const checkPasskeys: DoctorCheck = async ({ config }) => [judgePasskeys(config)];

export function judgePasskeys(
  config: Pick<Config, 'PASSKEY_RP_ID' | 'PASSKEY_ORIGIN' | 'LAUNCH_URL' | 'PUBLIC_URL' | 'HOST' | 'PORT' | 'TLS_CERT'>,
): DoctorFinding {
  const { LAUNCH_URL, PUBLIC_URL, HOST, PORT } = config;
  const secure = config.TLS_CERT !== undefined;
  const page = new URL(LAUNCH_URL ?? PUBLIC_URL ?? originAt({ host: HOST, port: PORT, secure }));
  const { id } = findRelyingParty(config, page);
  if (isPasskeyHost(id)) return ok(`bound to ${id}`);
  return warning(`${id} is not a host name, so sessions with a passkey are refused`, passkeyRemedy(page));
}

export const checkIdentityProvider: DoctorCheck = async ({ config }) => {
  if (!config.SERVE.has('console')) return [];
  const identity = identitySettings(config);
  if (!identity) return [];
  const { roles } = identity;
  const provider = await createIdentityProvider(identity);
  try {
    await provider.begin('https://localhost/'); // an address that is never visited
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const found = `${provider.host} does not answer as the issuer of CONSOLE_OIDC_ISSUER, so no one can sign in with it`;
    const remedy =
      'check that it runs and that this machine reaches it, and that the issuer is written exactly as it calls itself';
    return [failure(found, remedy)];
  }
  const found = `${provider.host} answers; ${roles.size} of its groups have a role`;
  if ([...roles.values()].includes('admin')) return [ok(found)];
  return [warning(`${found}, none of them admin`, 'name a group of admins in CONSOLE_OIDC_ROLES')];
};
