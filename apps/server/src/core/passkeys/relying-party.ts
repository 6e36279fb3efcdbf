// Who we are to an authenticator: the id that passkeys are made for, and the origins whose answers count.
import { isIP } from 'node:net';

export interface RelyingParty {
  /** A host name: that of the page, or one above it. */
  id: string;
  origins: string[];
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

/** What to set where the address is in numbers. */
export const PASSKEY_REMEDY =
  'set PUBLIC_URL to an address with a host name (on this computer: PUBLIC_URL=http://localhost:8080), or PASSKEY_RP_ID and PASSKEY_ORIGIN';
