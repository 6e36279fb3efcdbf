// What the start tells and warns about.
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { announce, warnings } from './banner.ts';

const PRODUCTION = { NODE_ENV: 'production', MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };

function warnOf(environment: Record<string, string>): string {
  return warnings(loadConfig(environment)).join('\n');
}

describe('the announcement', () => {
  const told = (environment: Record<string, string>) =>
    announce(loadConfig(environment), 'http://localhost:8080', { developmentKey: undefined, invite: undefined });

  it('names the demo first, at the address that others use', () => {
    expect(told({})).toMatch(/^\nlistening on http:\S+\n {2}demo +http:\/\/localhost:8080\/demo\n/);
    expect(told({ PUBLIC_URL: 'https://192.168.1.7:8080' })).toContain(' https://192.168.1.7:8080/demo\n');
  });

  it('names the console where it is served, and the link for the first operator', () => {
    expect(told({})).toContain('  console         http://localhost:8080/console\n');
    expect(told({ CONSOLE_URL: 'https://console.example/console' })).toContain(' https://console.example/console\n');
    const shown = { developmentKey: undefined, invite: 'http://localhost:8080/console#invite=x' };
    expect(announce(loadConfig({}), 'http://localhost:8080', shown)).toContain(
      '#invite=x (good for 15 minutes and one passkey; a restart prints a new one)',
    );
  });

  it.each([
    { HOST: '0.0.0.0' },
    { PUBLIC_URL: 'https://verify.example' },
    { TRUST_PROXY: '10.0.0.40' },
    { SERVE: 'core,node,launch' },
  ])('names no console with %o, where others can reach the service or nobody asked for it', (environment) => {
    expect(told(environment)).not.toContain('  console ');
    const isMissed = warnOf(environment).includes('CONSOLE_URL');
    expect(isMissed).toBe(!('SERVE' in environment));
  });

  it('names none where there is none', () => {
    expect(told(PRODUCTION)).not.toContain('demo');
    expect(told({ SERVE: 'node,launch' })).not.toContain('demo');
  });
});

describe('the address of the token issuer’s keys', () => {
  const OIDC = { OIDC_ISSUER: 'https://login.example/', OIDC_AUDIENCE: 'limen' };

  it.each([
    'http://login.example/keys',
    'http://10.0.0.7/keys',
    'http://localhost.example/keys',
    'http://127.0.0.1.example/keys',
  ])('%s is warned about in production', (url) => {
    expect(warnOf({ ...PRODUCTION, ...OIDC, OIDC_JWKS_URL: url })).toContain('OIDC_JWKS_URL is not https');
    expect(warnOf({ ...OIDC, OIDC_JWKS_URL: url })).not.toContain('OIDC_JWKS_URL');
  });

  it.each(['https://login.example/keys', 'http://localhost:9/keys', 'http://127.0.0.2:9/keys', 'http://[::1]:9/keys'])(
    '%s is fine',
    (url) => {
      expect(warnOf({ ...PRODUCTION, ...OIDC, OIDC_JWKS_URL: url })).not.toContain('OIDC_JWKS_URL');
    },
  );
});

describe('a public address in numbers, of a service that listens on this machine only', () => {
  it.each(['https://192.168.1.5:8080', 'http://[fd00::5]:8080'])(
    '%s reaches nobody, and the remedy is named',
    (url) => {
      expect(warnOf({ PUBLIC_URL: url })).toMatch(/PUBLIC_URL names \S+, but .* localhost, .*HOST=0\.0\.0\.0/);
      expect(warnOf({ PUBLIC_URL: url, HOST: '0.0.0.0' })).not.toContain('PUBLIC_URL names');
    },
  );

  it.each([
    { PUBLIC_URL: 'http://127.0.0.1:8080' },
    { PUBLIC_URL: 'http://[::1]:8080' },
    { PUBLIC_URL: 'https://192.168.1.5', TRUST_PROXY: '127.0.0.1' },
  ])('%j has no passkeys', (environment) => {
    expect(warnOf(environment)).toContain('no passkeys');
    expect(
      warnOf({ ...environment, PASSKEY_RP_ID: 'localhost', PASSKEY_ORIGIN: 'http://localhost:8080' }),
    ).not.toContain('PUBLIC_URL');
  });

  it('is not one where it has a name, or none is set', () => {
    expect(warnOf({})).not.toContain('PUBLIC_URL');
    expect(warnOf({ PUBLIC_URL: 'https://limen.example' })).not.toContain('PUBLIC_URL names');
  });
});

describe('a proxy that must be in front', () => {
  const PUBLIC_URL = 'https://limen.example';
  const WARNING = 'so a proxy must be in front: set TRUST_PROXY';

  it('is missed where others come by https and the service has no certificate', () => {
    expect(warnOf({ PUBLIC_URL })).toContain(WARNING);
    expect(warnOf({ PUBLIC_URL, HOST: '0.0.0.0' })).toContain(WARNING);
  });

  it.each([{}, { PUBLIC_URL, TRUST_PROXY: '10.0.0.4' }, { PUBLIC_URL: 'http://localhost:8080' }])(
    'is not missed with %j',
    (environment) => expect(warnOf(environment)).not.toContain(WARNING),
  );
});

it('warns that webhooks are held', () => {
  expect(warnOf({ WEBHOOKS: 'hold' })).toContain('webhooks are held');
  expect(warnOf({})).not.toContain('held');
});

describe('the address it listens on', () => {
  it.each(['localhost', '127.0.0.1', '::1'])('%s is this machine only', (host) => {
    expect(warnOf({ HOST: host })).not.toContain('beyond loopback');
  });

  it('warns of open areas only where they are served', () => {
    expect(warnOf({ HOST: '0.0.0.0' })).toContain('strings, sanctions');
    expect(warnOf({ HOST: '0.0.0.0', SERVE: 'node' })).not.toContain('strings');
    expect(warnOf({ ...PRODUCTION, HOST: '0.0.0.0' })).not.toContain('need no API key');
    expect(warnOf({ ...PRODUCTION, HOST: '0.0.0.0', REQUIRE_API_KEY: 'none' })).toContain('strings, sanctions');
  });

  it.each(['0.0.0.0', '::', '192.168.1.7', 'localhost.example'])('%s is beyond it', (host) => {
    expect(warnOf({ HOST: host })).toContain('beyond loopback');
  });
});
