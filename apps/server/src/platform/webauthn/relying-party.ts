// Who we are to an authenticator: the id that passkeys are made for, and the origins whose answers count.
import { isIP } from 'node:net';
import { invalid } from '../base/errors.ts';

export interface RelyingParty {
  /** A host name: that of the page, or one above it. */
  id: string;
  origins: [string, ...string[]];
}

/** From the settings, and where they say nothing from the address of the page. */
export function findRelyingParty(
  settings: { PASSKEY_RP_ID: string | undefined; PASSKEY_ORIGIN: string | undefined },
  pageUrl: URL,
): RelyingParty {
  const origin = settings.PASSKEY_ORIGIN ?? pageUrl.origin;
  return { id: settings.PASSKEY_RP_ID ?? new URL(origin).hostname, origins: [origin] };
}

/** Browsers make passkeys for names only. */
export function isPasskeyHost(id: string): boolean {
  return isIP(id.replace(/^\[|\]$/g, '')) === 0;
}

/** A session that asks for a passkey is refused where nobody could make one. */
export function assertPasskeyHost({ id, origins: [origin] }: RelyingParty): void {
  if (isPasskeyHost(id)) return;
  const remedy = passkeyRemedy(origin);
  throw invalid('body.requirements', `cannot contain passkey: browsers need a host name for it; ${remedy}`);
}

/** What to set where the address is in numbers; on this computer the same door has a name. */
export function passkeyRemedy(pageUrl: string | URL): string {
  const named = new URL(pageUrl);
  named.hostname = 'localhost';
  return `set PUBLIC_URL to an address with a host name (on this computer: PUBLIC_URL=${named.origin}), or PASSKEY_RP_ID and PASSKEY_ORIGIN`;
}
