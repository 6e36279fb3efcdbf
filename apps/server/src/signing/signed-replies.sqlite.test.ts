// Signed results, evidence and receipts over HTTP: their claims, audience and verification.
import { createHash } from 'node:crypto';
import { SignedError, verifyReceipt, verifyResult } from '@limen/sdk';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { makeFace } from '#testing/faces.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { untilReady } from '#testing/until-ready.ts';
import type { ApiKeyKind } from '../platform/api-keys/api-keys.ts';

const ISSUER = 'https://check.example';
const JWT = { accept: 'application/jwt' };
const CALLBACK = { url: 'http://127.0.0.1:1/hook', headers: { 'x-secret': 'only-for-the-receiver' } };

let app: TestApp;
let clock: ManualClock;
let storage: TestDatabase;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  clock = createManualClock();
  storage = await createTestDatabase();
  app = await startTestApp({
    clock,
    database: storage,
    environment: { SERVE: 'core,node', PUBLIC_URL: ISSUER },
    sanctionsTuning: { workers: 1 },
    atEnd: (end) => void ends.push(end),
  });
  await untilReady(app);
});
afterAll(async () => {
  for (const end of ends) await end();
  await storage.dispose();
});

async function newHost(kind: ApiKeyKind = 'test', customerId = `customer-${Math.random()}`) {
  const { apiKey } = await app.apiKeys.create({ kind, clientCredentials: false, customerId });
  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, headers: object = {}) =>
    app.http.inject({ method, url, headers: { 'x-api-key': apiKey, ...headers }, ...(payload && { payload }) });
  const options = async (more: object = {}) => ({
    jwks: (await app.http.inject('/.well-known/jwks.json')).json(),
    audience: customerId,
    issuer: ISSUER,
    allowTest: true,
    now: clock.now,
    ...more,
  });
  return {
    apiKey,
    customerId,
    call,
    options,
    async endAgeSession(body: object = {}, outcome: object = { outcome: 'above' }): Promise<string> {
      const { token } = (await call('POST', '/session', body)).json();
      if (kind !== 'live') await call('POST', `/session/${token}/simulate`, outcome);
      return token;
    },
    async endVerification(outcome: object): Promise<string> {
      const body = {
        type: 'ENROLL',
        redirectURL: 'https://shop.example/',
        callback: CALLBACK,
        transactionId: 'order-7',
      };
      const { sessionId } = (await call('POST', '/v2/verification-session', body)).json();
      await call('POST', `/v2/verification-session/${sessionId}/simulate`, outcome);
      return sessionId;
    },
    async watchListed(): Promise<string> {
      const body = { reference: 'c-1', name: 'Ottokar Brennwälder', dataset: 'demo', scoreThreshold: 0.5 };
      const { id } = (await call('POST', '/v2/screening/subjects', { ...body, callback: CALLBACK })).json();
      while ((await app.jobs.runDue()) > 0);
      return id;
    },
  };
}

type NewHost = Awaited<ReturnType<typeof newHost>>;

/** Returns the JWT's payload without the registered claims. */
function contentsOf(jwt: string): object {
  const { iss: _, aud: __, iat: ___, exp: ____, world: _____, ...contents } = decodeJwt(jwt);
  return contents;
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => (error instanceof SignedError ? error.code : error),
  );

describe('GET /.well-known/jwks.json', () => {
  it('publishes the public keys of both worlds without authentication, and may be cached', async () => {
    const { headers, body } = await app.http.inject('/.well-known/jwks.json');
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' });
    const { keys } = JSON.parse(body);
    expect(keys.map(({ kid }: { kid: string }) => kid.slice(0, 5)).toSorted()).toEqual(['live-', 'test-']);
    expect(body).not.toContain('"d"');
  });
});

describe("an age session's result", () => {
  it.each([
    ['above', {}, { outcome: 'above' }],
    [
      'exact, with a document',
      {
        requirements: ['face', 'identity_document'],
        documentAgeReturnFormat: 'both',
        facialAgeEstimationReturnFormat: 'both',
      },
      { outcome: 'below', age: 16, documentAge: 15 },
    ],
    ['a spoof with flags', { metadata: { order: 4711 } }, { outcome: 'spoof' }],
    ['expired', {}, { outcome: 'expired' }],
  ])('is the same object without the token (%s)', async (_, body, outcome) => {
    const host = await newHost();
    const token = await host.endAgeSession(body, outcome);
    const { token: told, ...rest } = (await host.call('GET', `/session/${token}/result`)).json();
    expect(told).toBe(token);
    const reply = await app.http.inject({ url: `/session/${token}/result`, headers: JWT }); // The token is the credential.
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/jwt']);
    expect(contentsOf(reply.body)).toEqual(rest);
    expect(reply.body).not.toContain(token);
    expect(Buffer.from(reply.body.split('.')[1]!, 'base64url').toString()).not.toContain(token);
  });

  it('states its audience, issuer, expiry and world', async () => {
    const host = await newHost();
    const token = await host.endAgeSession();
    const { body } = await host.call('GET', `/session/${token}/result`, undefined, JWT);
    const now = Math.floor(clock.now() / 1000);
    expect(decodeProtectedHeader(body)).toEqual({
      alg: 'ES256',
      typ: 'limen-age-result+jwt',
      kid: expect.stringMatching(/^test-[\w-]{43}$/),
    });
    expect(decodeJwt(body)).toMatchObject({
      iss: ISSUER,
      aud: host.customerId,
      iat: now,
      exp: now + 3600,
      world: 'test',
    });
    // Verified by an independent library.
    const { jwks } = await host.options();
    const checks = { issuer: ISSUER, audience: host.customerId, currentDate: new Date(clock.now()) };
    await expect(jwtVerify(body, createLocalJWKSet(jwks), checks)).resolves.toBeTruthy();
  });

  it('keeps the text of metadata', async () => {
    const host = await newHost();
    const metadata = '{"b":9007199254740993,"a":1.10}';
    const payload = `{"metadata":${metadata}}`;
    const headers = { 'x-api-key': host.apiKey, 'content-type': 'application/json' };
    const { token } = (await app.http.inject({ method: 'POST', url: '/session', headers, payload })).json();
    const { body } = await host.call('GET', `/session/${token}/result`, undefined, JWT);
    expect(await verifyResult(body, await host.options())).toMatchObject({
      kind: 'age_session',
      metadataText: metadata,
      result: { status: 'AGE_UNKNOWN' },
    });
  });

  it('stays JSON, byte for byte, for clients that do not ask for a JWT', async () => {
    const host = await newHost();
    const token = await host.endAgeSession();
    const ask = (accept?: string) =>
      app.http.inject({ url: `/session/${token}/result`, headers: accept === undefined ? {} : { accept } });
    const plain = await ask();
    expect(plain.headers['content-type']).toBe('application/json; charset=utf-8');
    for (const accept of [
      '*/*',
      'application/json',
      'application/jwt;q=0.1, application/json',
      'application/jwt;q=0',
    ]) {
      const reply = await ask(accept);
      expect([reply.body, reply.headers['content-type']]).toEqual([plain.body, plain.headers['content-type']]);
    }
  });

  it('gets 404 in both forms if it was redacted or is unknown', async () => {
    const host = await newHost();
    const token = await host.endAgeSession();
    await host.call('DELETE', `/session/${token}`);
    for (const headers of [{}, JWT]) {
      const reply = await host.call('GET', `/session/${token}/result`, undefined, headers);
      expect([reply.statusCode, reply.json().statusCode]).toEqual([404, 404]);
    }
  });
});

describe("a verification session's result", () => {
  it.each([
    [{ outcome: 'success', contactInformation: { email: 'a@b.example' } }],
    [{ outcome: 'spoof' }],
    [{ outcome: 'cancelled' }],
  ])('is the same object, signed (%j)', async (outcome) => {
    const host = await newHost();
    const sessionId = await host.endVerification(outcome);
    const path = `/v2/verification-session/${sessionId}/result`;
    const { body } = await host.call('GET', path, undefined, JWT);
    const plain = (await host.call('GET', path)).json();
    expect(contentsOf(body)).toEqual(plain);
    const verified = await verifyResult(body, await host.options());
    expect(verified).toMatchObject({ kind: 'verification_session', result: plain });
    await host.call('DELETE', `/v2/verification-session/${sessionId}`);
    expect((await host.call('GET', path, undefined, JWT)).statusCode).toBe(404);
    const stranger = await newHost();
    expect((await stranger.call('GET', path, undefined, JWT)).statusCode).toBe(404);
  });
});

describe('the evidence for a watched subject', () => {
  it('is the same, decisions included, without the alert address', async () => {
    const host = await newHost();
    const id = await host.watchListed();
    const path = `/v2/screening/subjects/${id}`;
    const [hit] = (await host.call('GET', `${path}/hits`)).json().hits;
    const decision = { decision: 'not_this_subject', reason: 'r', author: 'a', entryHash: hit.entryHash };
    await host.call('POST', `${path}/hits/${hit.id}/decision`, decision);
    const { body } = await host.call('GET', `${path}/evidence`, undefined, JWT);
    const plain = (await host.call('GET', `${path}/evidence`)).json();
    expect((await host.call('GET', path)).json().callback).toBeTruthy();
    expect(plain.subject.callback).toBeUndefined();
    expect(contentsOf(body)).toEqual(plain);
    const verified = await verifyResult(body, await host.options());
    expect(verified).toMatchObject({ kind: 'screening_evidence', result: { hits: [{ decision: { author: 'a' } }] } });
    expect(JSON.stringify(verified)).not.toContain('only-for-the-receiver');
    const page = await host.call('GET', `${path}/evidence`, undefined, { accept: 'text/html' });
    expect(page.headers['content-type']).toMatch('text/html');
  });
});

describe('a receipt of a deletion', () => {
  const things: [kind: string, make: (host: NewHost) => Promise<{ id: string; remove: [string, string, object?] }>][] =
    [
      [
        'age_session',
        async (host) => {
          const id = await host.endAgeSession();
          return { id, remove: ['DELETE', `/session/${id}`] };
        },
      ],
      [
        'verification_session',
        async (host) => {
          const id = await host.endVerification({ outcome: 'success' });
          return { id, remove: ['DELETE', `/v2/verification-session/${id}`] };
        },
      ],
      [
        'watched_subject',
        async (host) => {
          const id = await host.watchListed();
          return { id, remove: ['DELETE', `/v2/screening/subjects/${id}`] };
        },
      ],
      [
        'person',
        async (host) => {
          const features = { type: 'face', embedding_vector: [...makeFace(7)] };
          const { puid: id } = (await host.call('POST', '/node/plainEnroll', { features })).json();
          return { id, remove: ['POST', '/node/deleteUser', { puid: id }] };
        },
      ],
    ];

  it.each(things)('of a %s states what was deleted, when, and a digest of its id, and no more', async (kind, make) => {
    const host = await newHost();
    const { id, remove } = await make(host);
    const [method, path, payload] = remove as ['DELETE', string, object?];
    const reply = await host.call(method, path, payload, JWT);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/jwt']);
    expect(contentsOf(reply.body)).toEqual({
      deleted: kind,
      deletedAt: new Date(clock.now()).toISOString(),
      idDigest: createHash('sha256').update(id).digest('hex'),
    });
    expect(await verifyReceipt(reply.body, { ...(await host.options()), id })).toMatchObject({ deleted: kind });
    expect(await codeOf(verifyReceipt(reply.body, { ...(await host.options()), id: `${id}0` }))).toBe('wrong_id');
    expect(await codeOf(verifyResult(reply.body, await host.options()))).toBe('wrong_type');
    // Already deleted, so there is no second receipt.
    const again = await host.call(method, path, payload, JWT);
    expect(again.statusCode).toBeGreaterThanOrEqual(400);
    expect(again.headers['content-type']).toMatch('json');
  });

  it('is not issued without a request for it', async () => {
    const host = await newHost();
    const token = await host.endAgeSession();
    const reply = await host.call('DELETE', `/session/${token}`);
    expect([reply.statusCode, reply.body]).toEqual([204, '']);
  });

  it("is not issued for another customer's data", async () => {
    const [host, stranger] = [await newHost(), await newHost()];
    const token = await host.endAgeSession();
    expect((await stranger.call('DELETE', `/session/${token}`, undefined, JWT)).statusCode).toBe(404);
    expect((await host.call('GET', `/session/${token}/result`)).statusCode).toBe(200);
  });
});

describe('two worlds', () => {
  it('have separate keys: a live result is live, and a test result is refused by default', async () => {
    const [live, test] = [await newHost('live', 'acme'), await newHost('test', 'acme')];
    const signedOf = async (host: NewHost) =>
      (await host.call('GET', `/session/${await host.endAgeSession()}/result`, undefined, JWT)).body;
    const [liveJwt, testJwt] = [await signedOf(live), await signedOf(test)];
    expect(decodeProtectedHeader(liveJwt).kid).toMatch(/^live-/);
    const strict = await live.options({ allowTest: false });
    expect(await verifyResult(liveJwt, strict)).toMatchObject({ world: 'live' });
    expect(await codeOf(verifyResult(testJwt, strict))).toBe('test_world');
    expect(await verifyResult(testJwt, await live.options())).toMatchObject({ world: 'test' });
  });
});

it('deletes nothing if the receipt cannot be issued', async () => {
  const host = await newHost('live');
  const token = await host.endAgeSession();
  const edited = app.database.queries.updateTable('signing_keys').where('world', '=', 'live');
  const { created_at } = await app.database.queries
    .selectFrom('signing_keys')
    .select('created_at')
    .where('world', '=', 'live')
    .executeTakeFirstOrThrow();
  await edited.set({ created_at: created_at - 1 }).execute();
  expect((await host.call('DELETE', `/session/${token}`, undefined, JWT)).statusCode).toBe(503);
  expect((await host.call('GET', `/session/${token}/result`)).statusCode).toBe(200);
  await edited.set({ created_at }).execute();
  expect((await host.call('DELETE', `/session/${token}`, undefined, JWT)).statusCode).toBe(200);
});

it('counts signatures, and reports the age of the keys', async () => {
  const { body } = await app.http.inject('/metrics');
  expect(body).toMatch(/limen_signed_total\{type="limen-age-result\+jwt"\} \d+/);
  expect(body).toMatch(/limen_signing_key_age_seconds\{world="live"\} \d+/);
});
