// The biometric node over HTTP: rate limit, separate processes, CORS and logs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_CHECK, NOBODY_PLAIN, newCustomer, postTo } from '#testing/faces/node-client.ts';
import { faceAlike, faceOf, pictureOf } from '#testing/faces/node-faces.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const PAGE = 'https://launch.example.com';

describe('the rate limit', () => {
  it("applies per key, with headers and a body in the node's format", async () => {
    const app = await startTestApp({ environment: { SERVE: 'node', NODE_RATE_LIMIT: '1', NODE_RATE_BURST: '3' } });
    const [one, other] = [await newCustomer(app, 'c'), await newCustomer(app, 'c')];
    // The key in the header, the body or both is counted once.
    const taken = await Promise.all([
      one.post(KEY_CHECK, {}),
      postTo(app, KEY_CHECK, { api_key: one.apiKey }),
      one.post('/node/predict', { api_key: one.apiKey }),
    ]);
    expect(taken.map(({ statusCode }) => statusCode)).toEqual([200, 200, 400]);
    expect(taken.map(({ headers }) => headers['ratelimit-remaining']).sort()).toEqual(['0', '1', '2']);
    const refusals = await Promise.all([
      one.post('/node/enroll', {}),
      one.plainPredict(faceOf(1)),
      postTo(app, KEY_CHECK, { api_key: one.apiKey }),
    ]);
    for (const refused of refusals) {
      expect(refused.statusCode).toBe(429);
      expect(refused.json()).toEqual({ status: 429, message: 'Too many requests; try again in 1 s.' });
      expect(refused.headers).toMatchObject({
        'retry-after': '1',
        'ratelimit-limit': '3',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '3',
      });
    }
    expect((await other.post(KEY_CHECK, {})).statusCode).toBe(200);
    expect((await postTo(app, KEY_CHECK, {}, { 'x-api-key': 'wrong' })).statusCode).toBe(403);
  });
});

describe('strangers', () => {
  it('are refused per address before their bodies are read, without affecting others', async () => {
    const environment = { SERVE: 'node', NODE_STRANGER_RATE_LIMIT: '1', NODE_STRANGER_RATE_BURST: '3' };
    const app = await startTestApp({ environment });
    const { apiKey, post } = await newCustomer(app);
    const wrong = { 'x-api-key': 'wrong' };
    const askBy = (remoteAddress: string, payload: string, headers = {}) =>
      app.http.inject({
        method: 'POST',
        url: '/node/plainPredict',
        remoteAddress,
        payload,
        headers: { 'content-type': 'application/json', ...headers },
      });
    // With a valid key in the body, the address is not a stranger.
    for (let call = 0; call < 5; call += 1)
      expect((await postTo(app, KEY_CHECK, { api_key: apiKey })).statusCode).toBe(200);
    const first = await Promise.all([
      askBy('192.0.2.1', '{}', wrong),
      askBy('192.0.2.1', '{"api_key":"wrong"}'),
      askBy('192.0.2.1', '{}'),
    ]);
    expect(first.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
    // If read, each would be refused for another reason: too large, not JSON, a wrong key.
    for (const [body, headers] of [
      ['5'.repeat(2_000_000), {}],
      ['{', {}],
      ['{"api_key":"wrong"}', {}],
      ['{}', wrong],
    ] as const) {
      const refused = await askBy('192.0.2.1', body, headers);
      expect([refused.statusCode, refused.json().status, refused.headers['retry-after']]).toEqual([429, 429, '1']);
    }
    expect((await askBy('192.0.2.1', '{}', { 'x-api-key': apiKey })).statusCode).toBe(400);
    expect((await askBy('192.0.2.2', '{}')).statusCode).toBe(403);
    expect((await post(KEY_CHECK, {})).statusCode).toBe(200);
  });
});

describe('SERVE', () => {
  it('serves no /node with core', async () => {
    const app = await startTestApp({ environment: { SERVE: 'core' } });
    const { apiKey } = await newCustomer(app);
    const reply = await postTo(app, KEY_CHECK, { api_key: apiKey });
    expect(reply.statusCode).toBe(404);
    expect((await app.http.inject('/strings')).statusCode).toBe(200);
    const { paths } = (await app.http.inject('/openapi.json')).json();
    expect(Object.keys(paths).filter((path) => path.startsWith('/node'))).toEqual([]);
  });

  it('allows no foreign page if everything runs in one process', async () => {
    const app = await startTestApp({ environment: { LAUNCH_URL: `${PAGE}/launch`, PUBLIC_URL: PAGE } });
    const customer = await newCustomer(app);
    const reply = await customer.post(KEY_CHECK, {}, { origin: PAGE });
    expect(reply.statusCode).toBe(200);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = await app.http.inject({ method: 'OPTIONS', url: '/node/enroll', headers: { origin: PAGE } });
    expect(preflight.statusCode).toBe(405);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    // The area determines the error format here too.
    expect(preflight.json()).toEqual({ status: 405, message: expect.any(String) });
    expect((await app.http.inject('/nothing')).json()).toMatchObject({ statusCode: 404 });
  });
});

describe('SERVE=node', () => {
  let app: TestApp;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const environment = {
      SERVE: 'node',
      LAUNCH_URL: `${PAGE}/launch`,
      RATE_LIMIT: 'address=1:4,key=1:1',
      NODE_MATCH_THRESHOLD: '0.9',
    };
    app = await startTestApp({ environment, atEnd: (end) => (dispose = end) });
  });
  afterAll(() => dispose());

  it('serves nothing else, and allows only the launch page', async () => {
    const customer = await newCustomer(app);
    expect((await app.http.inject('/strings')).statusCode).toBe(404);
    expect((await app.http.inject('/health')).statusCode).toBe(200);

    const welcome = await customer.post(KEY_CHECK, {}, { origin: PAGE });
    expect(welcome.statusCode).toBe(200);
    expect(welcome.headers['access-control-allow-origin']).toBe(PAGE);
    expect(welcome.headers['access-control-allow-credentials']).toBeUndefined();
    expect(welcome.headers.vary).toMatch(/origin/i);
    // Pages can read refusals too.
    const refused = await postTo(app, '/node/enroll', {}, { origin: PAGE });
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([403, PAGE]);
    for (const origin of ['https://other.example.com', 'http://launch.example.com', 'null', `${PAGE}.evil.example`]) {
      const reply = await customer.post(KEY_CHECK, {}, { origin });
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    }

    const preflight = async (origin: string, url = '/node/FACE3_1/enroll') =>
      app.http.inject({ method: 'OPTIONS', url, headers: { origin, 'access-control-request-method': 'POST' } });
    const allowed = await preflight(PAGE);
    expect(allowed.statusCode).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringMatching(/x-api-key/),
    });
    const stranger = await preflight('https://other.example.com');
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
    expect(stranger.headers['access-control-allow-methods']).toBeUndefined();
    expect((await preflight(PAGE, '/health')).headers['access-control-allow-origin']).toBeUndefined();

    // Preflights are answered, but unknown paths still are 404.
    const nothing = await customer.post('/node/nothing', {});
    expect([nothing.statusCode, nothing.json().status]).toEqual([404, 404]);
    const wrongMethod = await app.http.inject('/node/enroll');
    expect(wrongMethod.statusCode).toBe(405);
    expect(wrongMethod.headers.allow).toMatch(/POST/);
  });

  it('lets an idle key send 200 at once by default, whatever RATE_LIMIT is', async () => {
    const customer = await newCustomer(app);
    for (let i = 0; i < 6; i++) {
      const reply = await customer.post(KEY_CHECK, {});
      expect([reply.statusCode, reply.headers['ratelimit-limit']]).toEqual([200, '200']);
    }
  });

  it('finds people from NODE_MATCH_THRESHOLD', async () => {
    const customer = await newCustomer(app);
    await customer.plainEnroll(faceAlike(1));
    expect((await customer.plainPredict(faceAlike(0.89))).json()).toEqual(NOBODY_PLAIN);
    expect((await customer.plainPredict(faceAlike(0.91))).json()).toMatchObject({ status: 0 });
  });
});

describe('the log', () => {
  let app: TestApp;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    app = await startTestApp({ environment: { SERVE: 'node' }, atEnd: (end) => (dispose = end) });
  });
  afterAll(() => dispose());

  it('has the correlation id of the reply, and ignores an invalid one', async () => {
    const customer = await newCustomer(app);
    const trackedBy = (id: string) => ({ headers: { 'x-correlation-id': id } });
    const replies = [
      await customer.enroll([faceOf(1)], trackedBy('order-1')),
      await customer.predict([faceOf(1)], trackedBy('order-2')),
      await customer.plainEnroll(faceOf(1), trackedBy('order-3')),
      await customer.plainPredict(faceOf(1), trackedBy('order-4')),
      await customer.deleteUser('x', trackedBy('order-5')),
      await postTo(app, '/node/enroll', {}, { 'x-correlation-id': 'order-6', 'x-api-key': 'wrong' }),
    ];
    replies.forEach((reply, i) => {
      expect(reply.headers['x-correlation-id']).toBe(`order-${i + 1}`);
      const line = JSON.parse(
        app
          .logged()
          .split('\n')
          .find((text) => text.includes(`"order-${i + 1}"`)) ?? '{}',
      );
      expect(line).toMatchObject({ status: reply.statusCode, requestId: reply.headers['x-request-id'] });
    });
    for (const nasty of ['a b', '"x"', '\\', 'ä', 'x'.repeat(129), '', '{jndi:x}']) {
      const reply = await customer.plainPredict(faceOf(1), trackedBy(nasty));
      expect(reply.statusCode).toBe(200);
      expect(reply.headers['x-correlation-id']).toBeUndefined();
    }
    const named = await customer.post(KEY_CHECK, {}, { 'x-request-id': 'mine-1' });
    expect(named.headers['x-request-id']).toBe('mine-1');
    for (const line of app.logged().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(app.logged()).not.toMatch(/jndi|x{129}/);
  });

  it('contains no key, vector, name or id of a person, even after failures', async () => {
    const customer = await newCustomer(app);
    const face = faceOf(1);
    const name = 'ada.lovelace@example.com';
    const body = { metadata: { id: name } };
    const enrolled = (await customer.enroll([face, pictureOf(face, 0.1)], { body })).json();
    const plain = (await customer.plainEnroll(face, { body })).json();
    await customer.predict([face], { body: { user_identifier: name, K: 3 } });
    await customer.plainPredict(face, { body: { user_identifier: name, K: 0 } });
    await customer.plainPredict(face, { headers: { 'x-encoding': name } });
    await customer.post('/node/plainEnroll', { features: { embedding_vector: [...face, name] } });
    await postTo(app, '/node/plainEnroll', { features: { embedding_vector: face }, api_key: `${customer.apiKey}x` });
    await customer.post(`/node/plainEnroll?name=${name}`, `{"${name}": ${face}`);
    const sealed = customer.seal('features', JSON.stringify([{ embedding_vector: face }]));
    await customer.post('/node/enroll', { features: `${sealed}x` });
    await customer.deleteUser(plain.puid);
    await customer.deleteUser(plain.puid);
    // Drops all tables of people, so that everything fails unexpectedly.
    await app.database.queries.schema.dropTable('embeddings').execute();
    await app.database.queries.schema.dropTable('people').execute();
    const failed = await customer.predict([face], { body: { user_identifier: name } });
    expect([failed.statusCode, failed.json()]).toEqual([500, { status: 500, message: 'Internal Server Error' }]);
    const failedDelete = await customer.deleteUser(enrolled.puid);
    expect(failedDelete.json()).toEqual({ status: 500, message: 'Internal Server Error' });

    const logged = app.logged();
    expect(logged).toMatch(/a request failed/);
    for (const secret of [
      customer.apiKey,
      customer.apiKey.slice(-20),
      name,
      'lovelace',
      String(face[0]),
      String(face[5]).slice(0, 8),
      plain.puid,
      plain.guid,
      customer.open('puid', enrolled.puid),
      enrolled.puid,
      sealed.slice(0, 40),
    ]) {
      expect(logged).not.toContain(secret);
    }
  });
});
