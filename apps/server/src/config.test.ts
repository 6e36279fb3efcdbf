// Settings: defaults, problems reported together, conflicts, and secrets that stay secret.
import { describe, expect, it } from 'vitest';
import { loadConfig, SETTINGS, SETTINGS_OF_KEYHOLDER } from './config.ts';
import { KEYHOLDER_SETTINGS } from './faces/keyholder/settings.ts';
import { StartError } from './platform/base/errors.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
  return [];
}

const KEY = Buffer.alloc(32, 1).toString('base64');

describe('loadConfig', () => {
  it('has the documented defaults', () => {
    expect(loadConfig({})).toMatchObject({
      NODE_ENV: 'development',
      HOST: 'localhost',
      PORT: 8080,
      DATA_DIR: './data',
      SERVE: new Set(['core', 'node', 'launch', 'console']),
      MAX_STRINGS: 1_000_000,
      SESSION_TTL_SECONDS: 1_800,
      RETENTION_HOURS: 24,
      WEBHOOK_TIMEOUT_MS: 15_000,
      WEBHOOK_ALLOW_PRIVATE: true,
      NODE_RATE_LIMIT: 100,
      NODE_RATE_BURST: 200,
      VECTOR_STORE: 'memory',
      TRUST_PROXY: false,
      production: false,
    });
  });

  it('explains the valid values for the number of proxies', () => {
    expect(problemsOf({ TRUST_PROXY: '2' })).toEqual([
      'TRUST_PROXY must be true, false, or the addresses or networks of the proxies in front, such as 10.0.0.40 or 10.0.0.0/8, and not the number of proxies (it is "2").',
    ]);
  });

  it.each([
    ['development', undefined, []],
    ['development', 'sanctions', ['sanctions']],
    ['production', undefined, ['strings', 'sanctions']],
    ['production', 'none', []],
    ['production', 'strings', ['strings']],
  ])('in %s with REQUIRE_API_KEY=%s requires a key for %j', (NODE_ENV, REQUIRE_API_KEY, areas) => {
    const { REQUIRE_API_KEY: closed } = loadConfig({ NODE_ENV, REQUIRE_API_KEY, MASTER_KEY: KEY });
    expect([...closed]).toEqual(areas);
  });

  it.each(['', ' '])('refuses an empty REQUIRE_API_KEY (%j), which could mean none or all', (REQUIRE_API_KEY) => {
    expect(problemsOf({ REQUIRE_API_KEY })).toEqual(['REQUIRE_API_KEY is empty: remove it, or set it to none.']);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  it('counts an empty variable as unset', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ PORT: 8080 });
    expect(loadConfig({ DATABASE_URL: ' ' }).DATABASE_URL).toBeUndefined();
  });

  it.each([
    ['http://console.example/console', 'must begin with https:// beyond localhost'],
    ['https://192.0.2.7/console', 'must have a host name'],
    ['https://console.example/', 'must end with /console'],
    ['https://verify.example/console', 'has the host of PUBLIC_URL'],
  ])('refuses CONSOLE_URL %s', (CONSOLE_URL, problem) => {
    expect(problemsOf({ CONSOLE_URL, PUBLIC_URL: 'https://verify.example' })).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  it('reports every problem at once', () => {
    const problems = problemsOf({
      PORT: 'eighty',
      SERVE: 'core,cellar',
      TLS_CERT: 'cert.pem',
      WALLET_KEY: 'key.pem',
      LOG_LEVEL: 'loud',
    });
    expect(problems).toEqual([
      'PORT must be a whole number from 0 to 65535 (it is "eighty").',
      'SERVE must be a comma-separated list of core, node, launch, console (it is "core,cellar").',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, silent (it is "loud").',
      'TLS_CERT and TLS_KEY must be set together.',
      'WALLET_CERT and WALLET_KEY must be set together.',
    ]);
  });

  it('reports misspelled settings of the service and its key-holder with the other problems', () => {
    expect(
      problemsOf({ DATABASE_UR: 'postgres://limen@db/limen', KEYHOLDER_DATADIR: '/keys', PORT: 'eighty' }),
    ).toEqual([
      expect.stringMatching(/^DATABASE_UR is not a setting; DATABASE_URL is\. /),
      expect.stringMatching(/^KEYHOLDER_DATADIR is not a setting; KEYHOLDER_DATA_DIR is\. /),
      expect.stringMatching(/^PORT must be /),
    ]);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '1e3'],
    ['PORT', '0x50'],
    ['PUBLIC_URL', 'ftp://example.org'],
    ['PUBLIC_URL', 'https://user:secret@example.org'],
    ['TRUST_PROXY', 'sometimes'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '1'],
    ['RATE_LIMIT', '100'],
    ['RATE_LIMIT', 'key=0'],
    ['MAX_STRINGS', '0'],
    ['MAX_STRINGS', '-1'],
    ['SESSION_TTL_SECONDS', '0'],
    ['NODE_MATCH_THRESHOLD', '1.5'],
    ['FRAME_ANCESTORS', 'https://shop.example/path'],
    ['FRAME_ANCESTORS', 'https://shop.example;sandbox'],
    ['FRAME_ANCESTORS', 'https://*.shop.example'],
    ['REQUIRE_API_KEY', 'everything'],
    ['REQUIRE_API_KEY', 'none,strings'],
    ['REQUIRE_API_KEY', ','],
    ['NODE_ENV', 'prod'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['KEYHOLDER_URL', 'https://10.0.0.7:8443'],
    ['KEYHOLDER_URL', 'tls://10.0.0.7'],
    ['KEYHOLDER_URL', 'tls://user:secret@10.0.0.7:8443'],
    ['KEYHOLDER_URL', 'tls://10.0.0.7:8443/path'],
    ['KEYHOLDER_SECRET', 'too short'],
    ['LOCAL_SIGN_INS', '0'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must (be|look like) .*\\.$`)),
    ]);
  });

  it.each([
    ['MASTER_KEY', 'c2hvcnQ='],
    ['DATABASE_URL', 'mysql://user:secret@host/db'],
    ['METRICS_TOKEN', 'too short'],
    ['DEV_API_KEY', 'too short'],
  ])('does not show the value of %s in its error', (name, value) => {
    const [problem] = problemsOf({ [name]: value });
    expect(problem).toMatch(new RegExp(`^${name} must be`));
    expect(problem).not.toContain(value);
  });

  it('reads lists, limits and proxies', () => {
    const config = loadConfig({
      RATE_LIMIT: 'key=100:500, address=10',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      REQUIRE_API_KEY: 'strings,sanctions',
      PUBLIC_URL: 'https://id.example.org/',
    });
    expect(config.RATE_LIMIT).toEqual({ key: { perSecond: 100, burst: 500 }, address: { perSecond: 10, burst: 20 } });
    expect(config.TRUST_PROXY).toEqual(['10.0.0.0/8', '::1']);
    expect(config.REQUIRE_API_KEY).toEqual(new Set(['strings', 'sanctions']));
    expect(config.PUBLIC_URL).toBe('https://id.example.org');
  });

  it('requires an explicit master key in production, and refuses the development key', () => {
    expect(problemsOf({ NODE_ENV: 'production', DEV_API_KEY: 'a-development-key' })).toEqual([
      expect.stringContaining('MASTER_KEY is required in production'),
      expect.stringContaining('DEV_API_KEY is refused in production'),
    ]);
    // Compose files turn an unset variable into an empty one.
    expect(problemsOf({ NODE_ENV: 'production', MASTER_KEY: '' })).toHaveLength(1);
    expect(problemsOf({ NODE_ENV: 'production', MASTER_KEY: 'short' })).toHaveLength(1);
    expect(loadConfig({ NODE_ENV: 'production', MASTER_KEY: KEY })).toMatchObject({
      production: true,
      WEBHOOK_ALLOW_PRIVATE: false,
      MASTER_KEY: [Buffer.alloc(32, 1)],
    });
  });

  it('requires settings together that only work together', () => {
    expect(problemsOf({ VECTOR_STORE: 'pgvector' })).toEqual(['VECTOR_STORE=pgvector needs DATABASE_URL.']);
  });

  it('requires all settings of a token issuer or none, and keeps its addresses unchanged', () => {
    const whole: Record<string, string> = {
      OIDC_ISSUER: 'https://issuer.example/',
      OIDC_AUDIENCE: 'limen',
      OIDC_JWKS_URL: 'https://issuer.example/keys?policy=b2c',
    };
    expect(loadConfig(whole)).toMatchObject(whole);
    for (let some = 1; some < 7; some++) {
      const part = Object.entries(whole).filter((_, index) => some & (1 << index));
      expect(problemsOf(Object.fromEntries(part))).toEqual([
        'OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL must be set together.',
      ]);
    }
    expect(problemsOf({ ...whole, OIDC_JWKS_URL: 'file:///keys' })).toHaveLength(1);
    expect(problemsOf({ ...whole, OIDC_ISSUER: 'https://me:secret@issuer.example' })).toHaveLength(1);
  });
});

describe("the console's identity provider", () => {
  const whole = {
    CONSOLE_OIDC_ISSUER: 'https://login.example',
    CONSOLE_OIDC_CLIENT_ID: 'limen',
    CONSOLE_OIDC_ROLES: 'cn=limen-admins=admin, fraud team=reviewer',
  };

  it('maps its groups to roles, in their order', () => {
    const roles = [...loadConfig(whole).CONSOLE_OIDC_ROLES!];
    expect(roles).toEqual([
      ['cn=limen-admins', 'admin'],
      ['fraud team', 'reviewer'],
    ]);
    for (const wrong of ['', 'admins', 'admins=owner', '=admin', 'a=admin,']) {
      expect(problemsOf({ ...whole, CONSOLE_OIDC_ROLES: wrong || ',' })).toEqual([
        expect.stringContaining('must look like'),
      ]);
    }
  });

  it('requires all of its settings, and HTTPS beyond this machine', () => {
    for (const name of Object.keys(whole) as (keyof typeof whole)[]) {
      const { [name]: _, ...rest } = whole;
      expect(problemsOf(rest)).toEqual([expect.stringContaining('must be set together')]);
    }
    expect(problemsOf({ ...whole, CONSOLE_OIDC_ISSUER: 'http://login.example' })).toEqual([
      expect.stringContaining('https:// beyond this machine'),
    ]);
    expect(problemsOf({ ...whole, CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9000' })).toEqual([]);
  });
});

describe('the table of settings', () => {
  it('holds defaults that its own parsers accept', () => {
    for (const { default: value, parse } of Object.values(SETTINGS)) {
      if (value !== undefined) expect(() => parse(value)).not.toThrow();
    }
  });

  it('requires a secret with the address of a key-holder', () => {
    expect(problemsOf({ KEYHOLDER_URL: 'tls://10.0.0.7:8443' })).toEqual([
      'KEYHOLDER_URL needs KEYHOLDER_SECRET, the one that the key-holder was started with.',
    ]);
    const KEYHOLDER_URL = 'tls://[::1]:8443/, tls://10.0.0.7:8443';
    const config = loadConfig({ KEYHOLDER_URL, KEYHOLDER_SECRET: 'x'.repeat(32) });
    expect(config.KEYHOLDER_URL).toEqual(['tls://[::1]:8443', 'tls://10.0.0.7:8443']);
  });
});

it('lists every setting that only the key-holder reads, and which of them are secret', () => {
  const own = Object.entries(KEYHOLDER_SETTINGS).filter(([name]) => !(name in SETTINGS));
  expect(SETTINGS_OF_KEYHOLDER).toEqual(
    Object.fromEntries(own.map(([name, { secret }]) => [name, secret ? { secret } : {}])),
  );
});
