// Identifies the service to authenticators: the id of its passkeys, and the accepted origins.
import { isIP } from 'node:net';
import { invalid } from '../base/errors.ts';

export interface RelyingParty {
  /** Host name of the page, or a parent domain. */
  id: string;
  origins: [string, ...string[]];
}

/** Uses the settings, or else the address of the page. */
export function findRelyingParty(
  settings: { PASSKEY_RP_ID: string | undefined; PASSKEY_ORIGIN: string | undefined },
  pageUrl: URL,
): RelyingParty {
  const origin = settings.PASSKEY_ORIGIN ?? pageUrl.origin;
  return { id: settings.PASSKEY_RP_ID ?? new URL(origin).hostname, origins: [origin] };
}

/** Whether the id is no IP address, for which browsers make no passkeys. */
export function isPasskeyHost(id: string): boolean {
  return isIP(id.replace(/^\[|\]$/g, '')) === 0;
}

/** Refuses a session with a passkey if no browser could make one. */
export function assertPasskeyHost({ id, origins: [origin] }: RelyingParty): void {
  if (isPasskeyHost(id)) return;
  const remedy = passkeyRemedy(origin);
  throw invalid('body.requirements', `cannot contain passkey: browsers need a host name for it; ${remedy}`);
}

/** Names the settings that replace an IP address by a host name. */
export function passkeyRemedy(pageUrl: string | URL): string {
  const named = new URL(pageUrl);
  named.hostname = 'localhost';
  return `set PUBLIC_URL to an address with a host name (on this computer: PUBLIC_URL=${named.origin}), or PASSKEY_RP_ID and PASSKEY_ORIGIN`;
}
