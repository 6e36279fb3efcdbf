// Tokens that `verifyResult` accepts, and one rejected token for each possible fault.
import { describe, expect, it } from 'vitest';
import { reply, startScriptedServer } from '../../testing/scripted-server.ts';
import { SignedError, type VerifySignedOptions, verifyReceipt, verifyResult } from '../index.ts';

const NOW = Date.UTC(2026, 10, 16);
const CLAIMS = {
  iss: 'https://check.example',
  aud: 'acme',
  iat: NOW / 1000,
  exp: NOW / 1000 + 3600,
  world: 'live',
};
const RESULT = { sessionId: 's', status: 'AGE_ABOVE_THRESHOLD', metadata: { order: 7 } };
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

async function newKey(kid: string) {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const { x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  return { kid, privateKey, jwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' } };
}

const live = await newKey('live-one');
const test = await newKey('test-one');
const stranger = await newKey('live-one');
const jwks = { keys: [live.jwk, test.jwk] };
const OPTIONS: VerifySignedOptions = { jwks, audience: 'acme', issuer: 'https://check.example', now: () => NOW };

const encode = (text: string) => Buffer.from(text).toString('base64url');

interface Wanted {
  header?: object;
  claims?: object;
  payload?: string;
  key?: Awaited<ReturnType<typeof newKey>>;
}

async function makeToken({ header, claims, payload, key = live }: Wanted = {}): Promise<string> {
  const head = { alg: 'ES256', typ: 'limen-age-result+jwt', kid: key.kid, ...header };
  const signed = `${encode(JSON.stringify(head))}.${encode(payload ?? JSON.stringify({ ...RESULT, ...CLAIMS, ...claims }))}`;
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(algorithm, key.privateKey, new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

async function codeOf(jwt: string, more: Partial<VerifySignedOptions> = {}): Promise<unknown> {
  try {
    await verifyResult(jwt, { ...OPTIONS, ...more });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof SignedError)) throw error;
    expect(error.message).not.toContain('AGE_ABOVE');
    return error.code;
  }
}

describe('a genuine token', () => {
  it('returns the result with its kind, world and times', async () => {
    const payload = JSON.stringify({ ...RESULT, ...CLAIMS }).replace('"order":7', '"order":9007199254740993');
    expect(await verifyResult(await makeToken({ payload }), OPTIONS)).toEqual({
      kind: 'age_session',
      result: { ...RESULT, metadata: { order: 9007199254740992 } },
      metadataText: '{"order":9007199254740993}',
      world: 'live',
      issuedAt: new Date(NOW),
      expiresAt: new Date(NOW + 3_600_000),
    });
  });

  it.each([
    ['limen-verification-result+jwt', 'verification_session'],
    ['limen-screening-evidence+jwt', 'screening_evidence'],
  ])('of type %s is a %s', async (typ, kind) => {
    const verified = await verifyResult(await makeToken({ header: { typ } }), OPTIONS);
    expect(verified.kind).toBe(kind);
    expect(verified).not.toHaveProperty('metadataText');
  });

  it('of the test world is accepted on request', async () => {
    const jwt = await makeToken({ key: test, claims: { world: 'test' } });
    expect(await verifyResult(jwt, { ...OPTIONS, allowTest: true })).toMatchObject({ world: 'test' });
  });
});

describe('verifyResult rejects', () => {
  it.each<[string, string, Wanted, Partial<VerifySignedOptions>?]>([
    ['another algorithm', 'wrong_algorithm', { header: { alg: 'ES384' } }],
    ['no algorithm', 'wrong_algorithm', { header: { alg: undefined } }],
    ['none, signed all the same', 'wrong_algorithm', { header: { alg: 'none' } }],
    ['a receipt', 'wrong_type', { header: { typ: 'limen-deletion-receipt+jwt' } }],
    ['a plain JWT', 'wrong_type', { header: { typ: 'JWT' } }],
    ['no type', 'wrong_type', { header: { typ: undefined } }],
    ['no key’s name', 'malformed', { header: { kid: undefined } }],
    ['something that must be understood', 'malformed', { header: { crit: ['b64'], b64: false } }],
    ['an unknown key', 'unknown_key', { header: { kid: 'live-two' } }],
    ['a key’s name from the prototype', 'unknown_key', { header: { kid: '__proto__' } }],
    ['another key of this name', 'wrong_signature', { key: stranger }],
    ['a key that it brings along', 'wrong_signature', { key: stranger, header: { jwk: stranger.jwk } }],
    ['an address of keys that it brings', 'unknown_key', { header: { kid: 'mine', jku: 'https://evil.example/' } }],
    ['the other world’s key', 'wrong_world', { key: test }],
    ['the other world’s claim', 'wrong_world', { claims: { world: 'test' } }, { allowTest: true }],
    ['the test world', 'test_world', { key: test, claims: { world: 'test' } }],
    [
      'the test world, asked for with a text',
      'test_world',
      { key: test, claims: { world: 'test' } },
      { allowTest: 'no' as never },
    ],
    ['a world of its own', 'malformed', { claims: { world: 'both' } }],
    ['another issuer', 'wrong_issuer', { claims: { iss: 'https://check.example.evil' } }],
    ['another customer', 'wrong_audience', { claims: { aud: 'other' } }],
    ['several customers', 'malformed', { claims: { aud: ['acme', 'other'] } }],
    ['an end that has passed', 'expired', { claims: { exp: NOW / 1000 - 61 } }],
    ['no end', 'malformed', { claims: { exp: undefined } }],
    ['an end that is a text', 'malformed', { claims: { exp: '9999999999' } }],
    ['a beginning in the future', 'not_yet_valid', { claims: { iat: NOW / 1000 + 61 } }],
    ['a payload that is no JSON', 'malformed', { payload: 'AGE_ABOVE_THRESHOLD' }],
    ['a payload that is a list', 'malformed', { payload: '[]' }],
  ])('%s: %s', async (_, code, wanted, options) => {
    expect(await codeOf(await makeToken(wanted), options)).toBe(code);
  });

  it('an unsigned token', async () => {
    const [, payload] = (await makeToken()).split('.');
    const header = encode(JSON.stringify({ alg: 'none', typ: 'limen-age-result+jwt', kid: live.kid }));
    expect(await codeOf(`${header}.${payload}.`)).toBe('malformed');
    expect(await codeOf(`${header}.${payload}.AA`)).toBe('wrong_algorithm');
  });

  it('a token signed with the public key as a shared secret', async () => {
    const header = encode(JSON.stringify({ alg: 'HS256', typ: 'limen-age-result+jwt', kid: live.kid }));
    const signed = `${header}.${encode(JSON.stringify({ ...RESULT, ...CLAIMS }))}`;
    const secret = new TextEncoder().encode(JSON.stringify(live.jwk));
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(signed));
    expect(await codeOf(`${signed}.${Buffer.from(mac).toString('base64url')}`)).toBe('wrong_algorithm');
  });

  it('a token that was modified at any position', async () => {
    const jwt = await makeToken();
    const [header = '', payload = ''] = jwt.split('.');
    const forged = encode(JSON.stringify({ ...RESULT, ...CLAIMS, status: 'AGE_BELOW_THRESHOLD' }));
    expect(await codeOf(jwt.replace(payload, forged))).toBe('wrong_signature');
    const otherHeader = encode(JSON.stringify({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), a: 1 }));
    expect(await codeOf(jwt.replace(header, otherHeader))).toBe('wrong_signature');
    // Every character of the signature, including the unused bits of the last one.
    const start = jwt.lastIndexOf('.') + 1;
    for (let at = start; at < jwt.length; at += 1) {
      const other = jwt[at] === 'A' ? 'B' : 'A';
      expect(await codeOf(`${jwt.slice(0, at)}${other}${jwt.slice(at + 1)}`)).toBe('wrong_signature');
    }
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sameBytes = alphabet[alphabet.indexOf(jwt.at(-1)!) + 1];
    expect(await codeOf(`${jwt.slice(0, -1)}${sameBytes}`)).toBe('wrong_signature');
    expect(await codeOf(jwt.slice(0, -1))).toBe('wrong_signature');
    expect(await codeOf(`${header}.${payload}.${'A'.repeat(86)}`)).toBe('wrong_signature');
  });

  it.each(['', 'a', 'a.b', 'a.b.c.d', 'a b.c.d', '!.!.!', `${'A'.repeat(9)}.e30.AA`, 'e30.e30.e30\n'])(
    'the text %j',
    async (text) => {
      expect(['malformed', 'wrong_algorithm']).toContain(await codeOf(text));
    },
  );

  it.each<[string, object]>([
    ['for encryption', { use: 'enc' }],
    ['for another algorithm', { alg: 'ES384' }],
    ['of another curve', { crv: 'P-384' }],
    ['that is a shared secret', { kty: 'oct', k: 'AAAA' }],
  ])('a signature by a key %s', async (_, more) => {
    expect(await codeOf(await makeToken(), { jwks: { keys: [{ ...live.jwk, ...more }] } })).toBe('unknown_key');
  });

  it('everything signed by a key that was removed from the set', async () => {
    expect(await codeOf(await makeToken(), { jwks: { keys: [test.jwk] } })).toBe('unknown_key');
  });

  it.each<[object]>([
    [{ jwks: undefined }],
    [{ jwksUrl: 'https://check.example/' }],
    [{ audience: '' }],
    [{ issuer: undefined }],
    [{ toleranceSeconds: -1 }],
    [{ jwks: { keys: 'all' } }],
  ])('invalid arguments %j', async (more) => {
    await expect(verifyResult(await makeToken(), { ...OPTIONS, ...more } as never)).rejects.toThrow(TypeError);
  });

  it('a result as a receipt', async () => {
    await expect(verifyReceipt(await makeToken(), { ...OPTIONS, id: 's' })).rejects.toMatchObject({
      code: 'wrong_type',
    });
  });
});

describe('keys at an address', () => {
  const set = (...keys: object[]) => reply(200, { keys });
  const at = (url: string, now = NOW) => ({ jwks: undefined, jwksUrl: `${url}/.well-known/jwks.json`, now: () => now });

  it('are fetched once for many tokens, and again after five minutes', async () => {
    const { url, received } = await startScriptedServer(set(live.jwk), set(live.jwk));
    const jwt = await makeToken();
    expect(await Promise.all([1, 2, 3].map(() => codeOf(jwt, at(url))))).toEqual(Array(3).fill('accepted'));
    expect(await codeOf(jwt, at(url, NOW + 299_000))).toBe('accepted');
    expect(received).toHaveLength(1);
    expect(await codeOf(jwt, at(url, NOW + 300_000))).toBe('accepted');
    expect(received).toHaveLength(2);
  });

  it('are fetched again for an unknown key, with a rate limit', async () => {
    const { url, received } = await startScriptedServer(set(test.jwk), set(test.jwk), set(test.jwk, live.jwk));
    const jwt = await makeToken();
    for (const after of [0, 1_000, 29_000]) expect(await codeOf(jwt, at(url, NOW + after))).toBe('unknown_key');
    expect(received).toHaveLength(1);
    expect(await codeOf(jwt, at(url, NOW + 30_000))).toBe('unknown_key');
    expect(await codeOf(jwt, at(url, NOW + 59_000))).toBe('unknown_key');
    expect(received).toHaveLength(2);
    expect(await codeOf(jwt, at(url, NOW + 60_000))).toBe('accepted');
  });

  it('that were removed are no longer trusted after the next fetch', async () => {
    const { url } = await startScriptedServer(set(live.jwk), set(test.jwk));
    const jwt = await makeToken();
    expect(await codeOf(jwt, at(url))).toBe('accepted');
    expect(await codeOf(jwt, at(url, NOW + 300_000))).toBe('unknown_key');
  });

  it.each([
    ['a failure', reply(500)],
    ['something else', reply(200, 'welcome')],
    ['no list', reply(200, { keys: 'none' })],
    ['a redirect', reply(302, '', { location: 'http://127.0.0.1:1/' })],
    ['far too much', reply(200, { keys: [], filler: 'x'.repeat(1_000_001) })],
  ])('that are unavailable (%s) say nothing about the token, and are fetched again', async (_, step) => {
    const { url } = await startScriptedServer(step, set(live.jwk));
    const jwt = await makeToken();
    expect(await codeOf(jwt, at(url))).toBe('keys_unavailable');
    expect(await codeOf(jwt, at(url))).toBe('accepted');
  });

  it('are not fetched for a token that is certainly invalid', async () => {
    const { url, received } = await startScriptedServer();
    expect(await codeOf(await makeToken({ header: { alg: 'none' } }), at(url))).toBe('wrong_algorithm');
    expect(await codeOf(await makeToken({ header: { typ: 'JWT' } }), at(url))).toBe('wrong_type');
    expect(received).toEqual([]);
  });
});
