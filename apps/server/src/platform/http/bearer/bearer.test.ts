// Bearer tokens against a local issuer: valid, forged and expired tokens, and every kind of issuer
// failure.
import { createHmac, createPublicKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { AUDIENCE, createSigningKey, replyKeys, startLocalIssuer } from '#testing/platform/bearer-issuer.ts';
import { createMetrics } from '../../watch/metrics.ts';
import { createHttpServer } from '../server.ts';
import { createBearer } from './bearer.ts';

const COOLDOWN_MS = 10_000;
const FRESH_MS = 600_000;
const STALE_MS = 3_600_000;
/** Long enough for a fetch on a busy machine. Only hanging fetches take this long. */
const HANG_MS = 1_000;
const PATIENCE = { timeout: 10_000 };

async function startPlace(tuning: { fetchTimeoutMs?: number } = {}) {
  const clock = createManualClock();
  const ticks = createManualClock(0);
  const issuer = await startLocalIssuer(clock);
  const key = await createSigningKey('first');
  issuer.publish(key);
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const bearer = createBearer({
    issuer: issuer.issuer,
    audience: AUDIENCE,
    jwksUrl: issuer.jwksUrl,
    clock,
    log,
    ...tuning,
    monotonicNow: ticks.now,
  });
  const http = createHttpServer({ metrics: createMetrics(false), log });
  http.get('/', { onRequest: bearer.check }, async () => 'in');
  onTestFinished(async () => {
    await http.close();
    await bearer.close();
  });
  const call = async (authorization?: string) => {
    const reply = await http.inject({ url: '/', headers: authorization === undefined ? {} : { authorization } });
    return { status: reply.statusCode, headers: reply.headers, text: reply.body };
  };
  const present = (token: string) => call(`Bearer ${token}`);
  const pass = (milliseconds: number) => {
    clock.advance(milliseconds);
    ticks.advance(milliseconds);
  };
  return { clock, pass, issuer, key, call, present, logged: () => lines.join('') };
}

const secondsOf = ({ now }: { now(): number }) => Math.floor(now() / 1000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a good token', () => {
  it('admits the request, and the keys are fetched once', async () => {
    const { issuer, key, present } = await startPlace();
    const tokens = [await issuer.sign(key), await issuer.sign(key, { aud: ['other', AUDIENCE] })];
    for (const reply of await Promise.all(tokens.map(present))) expect(reply.status).toBe(200);
    expect(issuer.fetches()).toBe(1);
  });

  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('may be signed with %s', async (alg) => {
    const { issuer, present } = await startPlace();
    const key = await createSigningKey('another', alg);
    issuer.publish(key);
    expect((await present(await issuer.sign(key))).status).toBe(200);
  });

  it('has a tolerance of exactly one minute for its expiry and start', async () => {
    const { issuer, key, clock, present } = await startPlace();
    const now = secondsOf(clock);
    expect((await present(await issuer.sign(key, { exp: now - 59 }))).status).toBe(200);
    expect((await present(await issuer.sign(key, { exp: now - 60 }))).status).toBe(401);
    expect((await present(await issuer.sign(key, { nbf: now + 60 }))).status).toBe(200);
    expect((await present(await issuer.sign(key, { nbf: now + 61 }))).status).toBe(401);
  });

  it('is optional, and other schemes are ignored', async () => {
    const { call, issuer } = await startPlace();
    for (const header of [undefined, 'Basic c2hvcDpzZWNyZXQ=', 'Bearertoken']) {
      expect((await call(header)).status).toBe(200);
    }
    expect(issuer.fetches()).toBe(0);
  });

  it('may spell the scheme in any case', async () => {
    const { issuer, key, call } = await startPlace();
    const token = await issuer.sign(key);
    for (const header of [`bearer ${token}`, `BEARER  ${token} `]) expect((await call(header)).status).toBe(200);
  });
});

describe('401', () => {
  type Place = Awaited<ReturnType<typeof startPlace>>;
  const forged: [string, string, (place: Place) => Promise<string> | string][] = [
    ['another audience', 'another audience', ({ issuer, key }) => issuer.sign(key, { aud: 'bank' })],
    ['another issuer', 'another issuer', ({ issuer, key }) => issuer.sign(key, { iss: 'https://evil.example/' })],
    [
      'the issuer without its slash',
      'another issuer',
      ({ issuer, key }) => issuer.sign(key, { iss: issuer.issuer.slice(0, -1) }),
    ],
    [
      'an expiry in the past',
      'has expired',
      ({ issuer, key, clock }) => issuer.sign(key, { exp: secondsOf(clock) - 61 }),
    ],
    ['no expiry', 'lacks the claim `exp`', ({ issuer, key }) => issuer.sign(key, { exp: undefined })],
    ['no audience', 'lacks the claim `aud`', ({ issuer, key }) => issuer.sign(key, { aud: undefined })],
    ['no issuer', 'lacks the claim `iss`', ({ issuer, key }) => issuer.sign(key, { iss: undefined })],
    [
      'a start in the future',
      'not valid yet',
      ({ issuer, key, clock }) => issuer.sign(key, { nbf: secondsOf(clock) + 61 }),
    ],
    [
      'alg none',
      'must be signed with one of',
      ({ issuer, clock }) => unsigned(issuer.issuer, secondsOf(clock), 'none'),
    ],
    [
      'alg None',
      'must be signed with one of',
      ({ issuer, clock }) => unsigned(issuer.issuer, secondsOf(clock), 'None'),
    ],
    ['no algorithm', 'not a signed JWT', ({ issuer, clock }) => unsigned(issuer.issuer, secondsOf(clock))],
    [
      'a changed claim',
      'signature',
      async ({ issuer, key }) => withClaim(await issuer.sign(key), { sub: 'somebody else' }),
    ],
    ['a truncated signature', 'signature', async ({ issuer, key }) => (await issuer.sign(key)).slice(0, -4)],
    ['another key under the right id', 'signature', async ({ issuer }) => issuer.sign(await createSigningKey('first'))],
    ['an unknown key id', 'does not publish', ({ issuer, key }) => issuer.sign({ ...key, kid: 'unknown' })],
    [
      'an unknown critical header',
      'not a signed JWT',
      ({ issuer, key }) => issuer.sign(key, {}, { crit: ['unheard'], unheard: 1 } as object),
    ],
    ['three dots', 'not a signed JWT', () => '...'],
    ['text', 'not a signed JWT', () => 'hello'],
    ['nothing', 'not a signed JWT', () => ''],
    ['an oversized token', 'longer than 8192', () => 'a'.repeat(8_193)],
  ];

  it.each(forged)('rejects %s', async (_, sentence, make) => {
    const place = await startPlace();
    const token = await make(place);
    const { status, headers, text } = await place.present(token);
    expect(status).toBe(401);
    expect(headers).toMatchObject({
      'x-error-code': 'invalid_bearer_token',
      'www-authenticate': 'Bearer error="invalid_token"',
    });
    expect(text).toContain(sentence);
    for (const part of token.split('.').filter((piece) => piece.length > 8)) {
      expect(text + place.logged()).not.toContain(part);
    }
    for (const claim of ['evil.example', 'person-7', 'bank']) expect(text + place.logged()).not.toContain(claim);
  });

  it('rejects HS256 with the public key as the secret, in every form', async () => {
    const { issuer, present, clock } = await startPlace();
    const key = await createSigningKey('first', 'RS256');
    issuer.publish(key);
    const pem = createPublicKey({ key: key.publicJwk as never, format: 'jwk' });
    const secrets = [
      pem.export({ type: 'spki', format: 'pem' }),
      pem.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key.publicJwk),
      String(key.publicJwk.n),
    ];
    for (const secret of secrets) {
      const signed = `${encode({ alg: 'HS256', kid: 'first' })}.${encode(goodClaims(issuer.issuer, secondsOf(clock)))}`;
      const reply = await present(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`);
      expect(reply.status).toBe(401);
      expect(reply.text).toContain('must be signed with one of');
    }
    expect(issuer.fetches()).toBe(0);
  });

  it('rejects a token signed with a secret from the published set', async () => {
    const { issuer, present, clock } = await startPlace();
    const secret: JWK = { kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url'), kid: 'shared', alg: 'HS256' };
    issuer.misbehave((response) => void response.end(JSON.stringify({ keys: [secret] })));
    const token = await new SignJWT(goodClaims(issuer.issuer, secondsOf(clock)))
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(await importJWK(secret));
    expect((await present(token)).status).toBe(401);
  });

  it('rejects a token without a key id if there are several keys', async () => {
    const { issuer, key, present } = await startPlace();
    const token = await issuer.sign(key, {}, { kid: undefined });
    expect((await present(token)).status).toBe(200);
    const two = await startPlace();
    two.issuer.publish(two.key, await createSigningKey('second'));
    const reply = await two.present(await two.issuer.sign(two.key, {}, { kid: undefined }));
    expect([reply.status, reply.text]).toEqual([401, expect.stringContaining('needs a `kid`')]);
  });
});

describe('key rotation', () => {
  it('accepts a new key and refuses a withdrawn one, without a restart', async () => {
    const { issuer, key, clock, pass, present } = await startPlace();
    const later = { exp: secondsOf(clock) + 86_400 };
    const old = await issuer.sign(key, later);
    expect((await present(old)).status).toBe(200);
    const next = await createSigningKey('second');
    issuer.publish(next);
    pass(COOLDOWN_MS);
    expect((await present(await issuer.sign(next, later))).status).toBe(200);
    expect((await present(old)).status).toBe(401);
    expect(issuer.fetches()).toBe(2);
  });

  it('refuses a withdrawn key once the cached keys are stale', async () => {
    const { issuer, key, clock, pass, present } = await startPlace();
    const token = await issuer.sign(key, { exp: secondsOf(clock) + 86_400 });
    await present(token);
    issuer.publish(await createSigningKey('second'));
    pass(FRESH_MS - 1);
    expect((await present(token)).status).toBe(200);
    expect(issuer.fetches()).toBe(1);
    pass(1);
    // The first token after that still passes, because the keys are fetched in the background.
    await vi.waitFor(async () => expect((await present(token)).status).toBe(401), PATIENCE);
    expect(issuer.fetches()).toBe(2);
  });

  it('fetches the keys again in time after the clock was set back', async () => {
    const { issuer, key, clock, pass, present } = await startPlace();
    const token = await issuer.sign(key, { exp: secondsOf(clock) + 86_400 });
    await present(token);
    issuer.publish(await createSigningKey('second'));
    clock.advance(-STALE_MS);
    pass(FRESH_MS);
    await vi.waitFor(async () => expect((await present(token)).status).toBe(401), PATIENCE);
  });

  it('does not delay tokens with known keys, however slow the issuer is', async () => {
    const { issuer, key, clock, pass, present } = await startPlace({ fetchTimeoutMs: 600_000 });
    const token = await issuer.sign(key, { exp: secondsOf(clock) + 86_400 });
    await present(token);
    const held: ServerResponse[] = [];
    issuer.misbehave((response) => void held.push(response));
    pass(FRESH_MS);
    for (let index = 0; index < 3; index += 1) expect((await present(token)).status).toBe(200);
    await vi.waitFor(() => expect(held).toHaveLength(1), PATIENCE);
    pass(STALE_MS - FRESH_MS - 1);
    expect((await present(token)).status).toBe(200);
    expect(issuer.fetches()).toBe(2);
    const next = await createSigningKey('second');
    issuer.publish(next);
    replyKeys(next)(held[0]!);
    await vi.waitFor(async () => expect((await present(token)).status).toBe(401), PATIENCE);
  });

  it('limits fetches caused by unknown key ids', async () => {
    const { issuer, key, pass, present } = await startPlace();
    const flood = async () => {
      const tokens = Array.from({ length: 50 }, (_, index) => issuer.sign({ ...key, kid: `unknown-${index}` }));
      for (const reply of await Promise.all(tokens.map(async (token) => present(await token)))) {
        expect(reply.status).toBe(401);
      }
    };
    await flood();
    await flood();
    expect(issuer.fetches()).toBe(1);
    pass(COOLDOWN_MS);
    await flood();
    expect(issuer.fetches()).toBe(2);
  });
});

describe('503: the keys are unavailable', () => {
  type Break = (issuer: Awaited<ReturnType<typeof startLocalIssuer>>) => unknown;
  const troubles: [string, Break][] = [
    ['a closed port', (issuer) => issuer.stop()],
    ['a fetch that hangs', (issuer) => issuer.misbehave(() => {})],
    ['a body that hangs', (issuer) => issuer.misbehave((response) => void response.write('{"keys":['))],
    ['a reset connection', (issuer) => issuer.misbehave((response) => void response.destroy())],
    ['status 500', (issuer) => issuer.misbehave((response) => void response.writeHead(500).end('{"keys":[]}'))],
    ['a reply without JSON', (issuer) => issuer.misbehave((response) => void response.end('<html>personal</html>'))],
    ['a reply without keys', (issuer) => issuer.misbehave((response) => void response.end('{"keys":{"a":1}}'))],
    ['a null reply', (issuer) => issuer.misbehave((response) => void response.end('null'))],
    [
      'an oversized reply',
      (issuer) => issuer.misbehave((response) => void response.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)),
    ],
    [
      'a redirect',
      (issuer) => issuer.misbehave((response) => void response.writeHead(302, { location: `${issuer.issuer}k` }).end()),
    ],
  ];

  it.each(troubles)('reports %s, makes no immediate second call, and recovers', async (_, cause) => {
    const { issuer, key, clock, pass, present, logged } = await startPlace({ fetchTimeoutMs: HANG_MS });
    const token = await issuer.sign(key, { exp: secondsOf(clock) + 86_400 });
    await cause(issuer);
    for (const reply of await Promise.all([present(token), present(token)])) {
      expect(reply.status).toBe(503);
      expect(reply.headers).toMatchObject({ 'x-error-code': 'unavailable', 'retry-after': '10' });
    }
    const calls = issuer.fetches();
    expect(calls).toBeLessThanOrEqual(1);
    expect((await present(token)).status).toBe(503);
    expect(issuer.fetches()).toBe(calls);
    expect(logged()).toContain('OIDC_JWKS_URL');
    expect(logged()).not.toContain('personal');
    if (calls === 0) return; // The issuer no longer listens.
    issuer.publish(key);
    pass(COOLDOWN_MS);
    expect((await present(token)).status).toBe(200);
  });

  it('accepts known keys for an hour; a token with a new key has to wait', async () => {
    const { issuer, key, clock, pass, present } = await startPlace();
    const later = { exp: secondsOf(clock) + 86_400 };
    const token = await issuer.sign(key, later);
    const unknown = await issuer.sign(await createSigningKey('second'), later);
    expect((await present(token)).status).toBe(200);
    await issuer.stop();
    pass(FRESH_MS);
    expect((await present(token)).status).toBe(200);
    expect((await present(unknown)).status).toBe(503);
    pass(STALE_MS - FRESH_MS - 1);
    expect((await present(token)).status).toBe(200);
    pass(1);
    expect((await present(token)).status).toBe(503);
  });

  it('blames the issuer, not the caller, for a published key that is unusable', async () => {
    const { issuer, present, clock } = await startPlace();
    const { privateKey } = await generateKeyPair('RS256');
    const broken = {
      kid: 'first',
      alg: 'RS256',
      privateKey,
      publicJwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'first' },
    };
    issuer.misbehave(replyKeys(broken));
    const reply = await present(await issuer.sign(broken, { exp: secondsOf(clock) + 300 }));
    expect(reply.status).toBe(503);
  });
});

function goodClaims(issuer: string, now: number) {
  return { iss: issuer, aud: AUDIENCE, exp: now + 300 };
}

function unsigned(issuer: string, now: number, alg?: string): string {
  return `${encode({ ...(alg && { alg }), kid: 'first' })}.${encode(goodClaims(issuer, now))}.`;
}

function withClaim(token: string, change: object): string {
  const [header, claims = '', signature] = token.split('.');
  const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...change };
  return [header, encode(changed), signature].join('.');
}
