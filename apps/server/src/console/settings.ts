// Settings of the console, such as its address.
import type { Config } from '../config.ts';
import { isLoopback } from '../platform/outbound/classify-address.ts';
import { readConsoleAddress } from './operators/console-address.ts';

/**
 * Returns the address of the console, or undefined if there is none. A service that other machines
 * can reach needs an explicit CONSOLE_URL. `door` knows the port if the settings ask for any.
 */
export function findConsoleAddress(config: Config, door?: { address(): string }): string | undefined {
  if (!config.SERVE.has('console')) return undefined;
  if (config.CONSOLE_URL !== undefined) return config.CONSOLE_URL;
  const publicHost = config.PUBLIC_URL === undefined ? 'localhost' : new URL(config.PUBLIC_URL).hostname;
  if (!isLoopback(config.HOST) || !isLoopback(publicHost) || config.TRUST_PROXY !== false) return undefined;
  const protocol = config.TLS_CERT === undefined ? 'http:' : 'https:';
  const port = door ? new URL(door.address()).port : String(config.PORT);
  return new URL(`${protocol}//localhost:${port}/console`).href;
}

/**
 * Returns the address of the running console with its actual port, else the configured one. Returns
 * undefined without a console.
 */
export async function findConsole(config: Config): Promise<string | undefined> {
  const configured = findConsoleAddress(config);
  if (configured === undefined || config.CONSOLE_URL !== undefined) return configured;
  return (await readConsoleAddress(config.DATA_DIR)) ?? configured;
}

export function consoleSettings(config: Config) {
  return { auditDays: config.AUDIT_DAYS, identity: identitySettings(config) };
}

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
