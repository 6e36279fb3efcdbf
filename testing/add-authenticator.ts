// An authenticator for a page of Chromium, as a phone has it: keeps passkeys itself, and whoever holds it is always verified.
import type { CDPSession, Page } from 'playwright-core';

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** With the session of the developer tools that it lives as long as. */
export async function addAuthenticator(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
  return devtools;
}
