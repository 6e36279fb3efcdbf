// What the start tells a person: where to go, and what is only safe on a developer's machine.
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { INVITE_MINUTES } from '../../console/limits.ts';
import { consoleAddressOf } from '../../console/settings.ts';
import { isLoopback } from '../../platform/outbound/classify-address.ts';
import { listOpenAreas, needsProxy } from '../settings.ts';

/** What is shown once, to whoever started the service. */
export interface StartAnnouncement {
  developmentKey: string | undefined;
  /** Link to the console for the first operator, who has not used it yet. */
  invite: string | undefined;
}

export function announce(config: Config, address: string, { developmentKey, invite }: StartAnnouncement): string {
  const consoleUrl = consoleAddressOf(config, { address: () => address });
  const lines = [
    '',
    `listening on ${address}`,
    ...(config.production || !config.SERVE.has('core')
      ? []
      : [`  demo            ${config.PUBLIC_URL ?? address}/demo`]),
    `  reference       ${address}/docs`,
    ...(consoleUrl === undefined ? [] : [`  console         ${consoleUrl}`]),
    `  data            ${config.DATABASE_URL === undefined ? config.DATA_DIR : 'PostgreSQL (DATABASE_URL)'}`,
    ...describeKeyHolder(config),
  ];
  if (developmentKey !== undefined) lines.push(`  development key ${developmentKey}`);
  if (invite !== undefined)
    lines.push(
      `  first operator  ${invite} (good for ${INVITE_MINUTES} minutes and one passkey; a restart prints a new one)`,
    );
  return `${lines.join('\n')}\n\n`;
}

/** A thread is this process's own: a second process on the same database needs KEYHOLDER_URL. */
function describeKeyHolder({ SERVE, KEYHOLDER_URL }: Config): string[] {
  if (!SERVE.has('core') && !SERVE.has('launch')) return [];
  return [
    `  key-holder      ${KEYHOLDER_URL?.join(', ') ?? 'a thread of this process (several processes need KEYHOLDER_URL)'}`,
  ];
}

/** Everything that is open, when others than this machine can reach it. */
export function warnings(config: Config): string[] {
  const found: string[] = [];
  const beyondLoopback = !isLoopback(config.HOST);
  if (!config.production && config.WEBHOOK_ALLOW_PRIVATE) {
    found.push('webhooks to private addresses are allowed (development default; NODE_ENV=production turns it off)');
  }
  if (config.WEBHOOKS === 'hold') found.push('webhooks are held: none is sent (WEBHOOKS=hold)');
  if (config.production && config.OIDC_JWKS_URL !== undefined && crossesNetworkInTheClear(config.OIDC_JWKS_URL)) {
    found.push('OIDC_JWKS_URL is not https: anyone who can change its reply on the way can make bearer tokens');
  }
  if (config.SERVE.has('console') && consoleAddressOf(config) === undefined) {
    found.push(
      'the console is not served: others can reach this service, so it needs an address of its own (CONSOLE_URL)',
    );
  }
  if (config.TRUST_PROXY === false && needsProxy(config)) {
    found.push(
      'PUBLIC_URL is https and TLS_CERT is not set, so a proxy must be in front: set TRUST_PROXY to its address, or all its clients count as one',
    );
  }
  if (!beyondLoopback) return [...found, ...numericAddress(config)];
  const open = listOpenAreas(config);
  if (open.length > 0) {
    found.push(`listening beyond loopback while these need no API key: ${open.join(', ')} (see REQUIRE_API_KEY)`);
  }
  if (!config.production) {
    found.push('listening beyond loopback in development mode: development keys, simulated outcomes and the demo work');
  }
  if (config.TLS_CERT === undefined && config.TRUST_PROXY === false) {
    found.push(
      'listening beyond loopback without TLS: API keys cross the network in the clear (see TLS_CERT, TRUST_PROXY)',
    );
  }
  return found;
}

/** What launch URLs begin with, where it is an address that this machine alone does not answer at, or that has no name. */
function numericAddress({ PUBLIC_URL, HOST, TRUST_PROXY, PASSKEY_RP_ID }: Config): string[] {
  const host = PUBLIC_URL === undefined ? '' : new URL(PUBLIC_URL).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return [];
  if (!isLoopback(host) && TRUST_PROXY === false) {
    return [
      `PUBLIC_URL names ${host}, but the service listens on ${HOST}, which only this machine can reach: set HOST=0.0.0.0 (or TRUST_PROXY, if a proxy forwards requests)`,
    ];
  }
  return PASSKEY_RP_ID === undefined
    ? [
        `PUBLIC_URL names ${host}: browsers create no passkeys for a numeric address; use a host name, such as localhost`,
      ]
    : [];
}

function crossesNetworkInTheClear(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
