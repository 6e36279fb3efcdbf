// The announcement of a start: addresses, and warnings about settings that are safe only on a developer's machine.
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { INVITE_MINUTES } from '../../console/limits.ts';
import { findConsoleAddress } from '../../console/settings.ts';
import { isLoopback } from '../../platform/outbound/classify-address.ts';
import { listOpenAreas, needsProxy } from '../settings.ts';

/** `invite` is the console link of the first operator, if still unused. */
export function announce(
  config: Config,
  address: string,
  { developmentKey, invite }: { developmentKey: string | undefined; invite: string | undefined },
): string {
  const { SERVE, PUBLIC_URL, DATABASE_URL, DATA_DIR, KEYHOLDER_URL } = config;
  const thread = 'a thread of this process (several processes need KEYHOLDER_URL)';
  const facts = {
    demo: !config.production && SERVE.has('core') ? `${PUBLIC_URL ?? address}/demo` : undefined,
    reference: `${address}/docs`,
    console: findConsoleAddress(config, { address: () => address }),
    data: DATABASE_URL === undefined ? DATA_DIR : 'PostgreSQL (DATABASE_URL)',
    'key-holder': SERVE.has('core') || SERVE.has('launch') ? (KEYHOLDER_URL?.join(', ') ?? thread) : undefined,
    'development key': developmentKey,
    'first operator':
      invite && `${invite} (good for ${INVITE_MINUTES} minutes and one passkey; a restart prints a new one)`,
  };
  const shown = Object.entries(facts).filter(([, value]) => value !== undefined);
  const lines = shown.map(([name, value]) => `  ${name.padEnd(15)} ${value}\n`);
  return `\nlistening on ${address}\n${lines.join('')}\n`;
}

export function warnings(config: Config): string[] {
  const { production, OIDC_JWKS_URL: keys, TRUST_PROXY, TLS_CERT } = config;
  const isPrivate = isLoopback(config.HOST);
  const openAreas = listOpenAreas(config);
  const found = [
    !production &&
      config.WEBHOOK_ALLOW_PRIVATE &&
      'webhooks to private addresses are allowed (development default; NODE_ENV=production turns it off)',
    config.WEBHOOKS === 'hold' && 'webhooks are held and not sent (WEBHOOKS=hold)',
    production &&
      keys !== undefined &&
      crossesNetworkInTheClear(keys) &&
      'OIDC_JWKS_URL is not https: anyone who can change its reply on the way can make bearer tokens',
    config.SERVE.has('console') &&
      findConsoleAddress(config) === undefined &&
      'the console is not served: others can reach this service, so it needs an address of its own (CONSOLE_URL)',
    TRUST_PROXY === false &&
      needsProxy(config) &&
      'PUBLIC_URL is https and TLS_CERT is not set, so a proxy must be in front: set TRUST_PROXY to its address, or all its clients count as one',
    isPrivate && warnOfNumericAddress(config),
    !isPrivate &&
      openAreas.length > 0 &&
      `listening beyond loopback while these need no API key: ${openAreas.join(', ')} (see REQUIRE_API_KEY)`,
    !isPrivate &&
      !production &&
      'listening beyond loopback in development mode: development keys, simulated outcomes and the demo work',
    !isPrivate &&
      TLS_CERT === undefined &&
      TRUST_PROXY === false &&
      'listening beyond loopback without TLS: API keys cross the network in the clear (see TLS_CERT, TRUST_PROXY)',
  ];
  return found.filter((warning) => typeof warning === 'string');
}

/** Warns of a numeric PUBLIC_URL that does not lead here or has no passkeys. */
function warnOfNumericAddress({ PUBLIC_URL, HOST, TRUST_PROXY, PASSKEY_RP_ID }: Config): string | false {
  const host = PUBLIC_URL === undefined ? '' : new URL(PUBLIC_URL).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return false;
  if (!isLoopback(host) && TRUST_PROXY === false) {
    return `PUBLIC_URL names ${host}, but the service listens on ${HOST}, which only this machine can reach: set HOST=0.0.0.0 (or TRUST_PROXY, if a proxy forwards requests)`;
  }
  return (
    PASSKEY_RP_ID === undefined &&
    `PUBLIC_URL names ${host}: browsers create no passkeys for a numeric address; use a host name, such as localhost`
  );
}

function crossesNetworkInTheClear(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
