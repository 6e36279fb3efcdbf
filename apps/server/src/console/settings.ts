// Where the settings put the console.
import type { Config } from '../config.ts';
import { isLoopback } from '../platform/base/loopback.ts';
import { readConsoleAddress } from './operators/console-address.ts';

/**
 * Where operators find the console; undefined where there is none: whoever can reach the service from elsewhere gets it only at
 * an address that was named for it. `door` knows the port where any free one was asked for.
 */
export function consoleAddressOf(config: Config, door?: { address(): string }): string | undefined {
  if (!config.SERVE.has('console')) return undefined;
  if (config.CONSOLE_URL !== undefined) return config.CONSOLE_URL;
  const publicHost = config.PUBLIC_URL === undefined ? 'localhost' : new URL(config.PUBLIC_URL).hostname;
  if (!isLoopback(config.HOST) || !isLoopback(publicHost) || config.TRUST_PROXY !== false) return undefined;
  const protocol = config.TLS_CERT === undefined ? 'http:' : 'https:';
  const port = door ? new URL(door.address()).port : String(config.PORT);
  return new URL(`${protocol}//localhost:${port}/console`).href;
}

/** Address of the running service's console, whatever its port, else the configured one. Undefined where the settings serve none. */
export async function findConsole(config: Config): Promise<string | undefined> {
  const configured = consoleAddressOf(config);
  if (configured === undefined || config.CONSOLE_URL !== undefined) return configured;
  return (await readConsoleAddress(config.DATA_DIR)) ?? configured;
}

export function consoleSettings(config: Config) {
  return { auditDays: config.AUDIT_DAYS, identity: identitySettings(config) };
}

/** Undefined without an identity provider; then operators are invited, and have passkeys. */
export function identitySettings(config: Config) {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId, CONSOLE_OIDC_ROLES: roles } = config;
  if (issuer === undefined || clientId === undefined || roles === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: config.CONSOLE_OIDC_CLIENT_SECRET,
    scopes: config.CONSOLE_OIDC_SCOPES,
    groupsClaim: config.CONSOLE_OIDC_GROUPS_CLAIM,
    roles,
  };
}
