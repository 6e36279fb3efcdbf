// Start messages and warnings.
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

  it('names the demo first, with the public address', () => {
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
  ])('omits the console with %o, if others can reach the service or it was not requested', (environment) => {
    expect(told(environment)).not.toContain('  console ');
    const isMissed = warnOf(environment).includes('CONSOLE_URL');
    expect(isMissed).toBe(!('SERVE' in environment));
  });

  it('omits the console if it is not served', () => {
    expect(told(PRODUCTION)).not.toContain('demo');
    expect(told({ SERVE: 'node,launch' })).not.toContain('demo');
  });
});

describe("the address of the token issuer's keys", () => {
  const OIDC = { OIDC_ISSUER: 'https://login.example/', OIDC_AUDIENCE: 'limen' };

  it.each([
    'http://login.example/keys',
    'http://10.0.0.7/keys',
    'http://localhost.example/keys',
    'http://127.0.0.1.example/keys',
  ])('causes a warning in production: %s', (url) => {
    expect(warnOf({ ...PRODUCTION, ...OIDC, OIDC_JWKS_URL: url })).toContain('OIDC_JWKS_URL is not https');
    expect(warnOf({ ...OIDC, OIDC_JWKS_URL: url })).not.toContain('OIDC_JWKS_URL');
  });

  it.each(['https://login.example/keys', 'http://localhost:9/keys', 'http://127.0.0.2:9/keys', 'http://[::1]:9/keys'])(
    'causes no warning: %s',
    (url) => {
      expect(warnOf({ ...PRODUCTION, ...OIDC, OIDC_JWKS_URL: url })).not.toContain('OIDC_JWKS_URL');
    },
  );
});

describe('a numeric public address of a service that listens only on this machine', () => {
  it.each(['https://192.168.1.5:8080', 'http://[fd00::5]:8080'])(
    'warns that %s reaches no one, with the remedy',
    (url) => {
      expect(warnOf({ PUBLIC_URL: url })).toMatch(/PUBLIC_URL names \S+, but .* localhost, .*HOST=0\.0\.0\.0/);
      expect(warnOf({ PUBLIC_URL: url, HOST: '0.0.0.0' })).not.toContain('PUBLIC_URL names');
    },
  );

  it.each([
    { PUBLIC_URL: 'http://127.0.0.1:8080' },
    { PUBLIC_URL: 'http://[::1]:8080' },
    { PUBLIC_URL: 'https://192.168.1.5', TRUST_PROXY: '127.0.0.1' },
  ])('warns that %j has no passkeys', (environment) => {
    expect(warnOf(environment)).toContain('no passkeys');
    expect(
      warnOf({ ...environment, PASSKEY_RP_ID: 'localhost', PASSKEY_ORIGIN: 'http://localhost:8080' }),
    ).not.toContain('PUBLIC_URL');
  });

  it('causes no warning if it has a name, or none is set', () => {
    expect(warnOf({})).not.toContain('PUBLIC_URL');
    expect(warnOf({ PUBLIC_URL: 'https://limen.example' })).not.toContain('PUBLIC_URL names');
  });
});

describe('a required proxy', () => {
  const PUBLIC_URL = 'https://limen.example';
  const WARNING = 'so a proxy must be in front: set TRUST_PROXY';

  it('is reported missing if clients use HTTPS and the service has no certificate', () => {
    expect(warnOf({ PUBLIC_URL })).toContain(WARNING);
    expect(warnOf({ PUBLIC_URL, HOST: '0.0.0.0' })).toContain(WARNING);
  });

  it.each([{}, { PUBLIC_URL, TRUST_PROXY: '10.0.0.4' }, { PUBLIC_URL: 'http://localhost:8080' }])(
    'is not reported missing with %j',
    (environment) => expect(warnOf(environment)).not.toContain(WARNING),
  );
});

it('warns that webhooks are held', () => {
  expect(warnOf({ WEBHOOKS: 'hold' })).toContain('webhooks are held');
  expect(warnOf({})).not.toContain('held');
});

describe('the listening address', () => {
  it.each(['localhost', '127.0.0.1', '::1'])('restricts %s to this machine', (host) => {
    expect(warnOf({ HOST: host })).not.toContain('beyond loopback');
  });

  it('causes warnings of open areas only if they are served', () => {
    expect(warnOf({ HOST: '0.0.0.0' })).toContain('strings, sanctions');
    expect(warnOf({ HOST: '0.0.0.0', SERVE: 'node' })).not.toContain('strings');
    expect(warnOf({ ...PRODUCTION, HOST: '0.0.0.0' })).not.toContain('need no API key');
    expect(warnOf({ ...PRODUCTION, HOST: '0.0.0.0', REQUIRE_API_KEY: 'none' })).toContain('strings, sanctions');
  });

  it.each(['0.0.0.0', '::', '192.168.1.7', 'localhost.example'])('opens %s beyond this machine', (host) => {
    expect(warnOf({ HOST: host })).toContain('beyond loopback');
  });
});
