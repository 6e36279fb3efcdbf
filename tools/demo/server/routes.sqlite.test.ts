// The demo in the complete service: a round from options to result, access control, and secrets.
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from '@limen/testing/patience.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SAMPLE_SELFIE } from '../../../apps/server/src/sessions/verification/simulate.ts';
import { newDevice } from '../../../apps/server/testing/device.ts';
import { startTestApp, type TestApp } from '../../../apps/server/testing/test-app.ts';
import type { CheckView, DemoSetup } from './check-view.ts';

// Contains characters that JSON escapes, so that masking by text alone would miss it.
const API_KEY = 'demo-key-"of\\this-test';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const TOKEN = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

let app: TestApp;
let origin: string;
let dispose: () => Promise<void>;
/** Records every reply of the demo's routes in this file. */
let said = '';

beforeAll(async () => {
  app = await startTestApp({ environment: { DEV_API_KEY: API_KEY }, atEnd: (end) => (dispose = end) });
  origin = await app.listen();
  await app.jobs.start();
});
afterAll(() => dispose());

async function ask(method: 'GET' | 'POST', url: string, payload?: object, headers: object = SAME_ORIGIN) {
  const reply = await app.http.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });
  said += `${JSON.stringify(reply.headers)}${reply.body}`;
  return reply;
}

async function start(options: object = {}, redirect = true, kind = 'age'): Promise<CheckView> {
  const reply = await ask('POST', '/demo/checks', { kind, options, redirect });
  expect(reply.statusCode).toBe(201);
  return reply.json();
}

const look = async (id: string) => (await ask('GET', `/demo/checks/${id}`)).json() as CheckView;
const sessionOf = ({ launchUrl }: CheckView) => new URL(launchUrl!).searchParams.get('sessionId')!;

async function untilResult(id: string): Promise<CheckView> {
  return vi.waitFor(async () => {
    const view = await look(id);
    expect(view.result?.reply?.status).toBe(200);
    expect(view.state).not.toBe('created');
    return view;
  }, PATIENCE);
}

describe('a round', () => {
  it('shows request, reply, a verified webhook and the result that the SDK fetched afterwards', async () => {
    const started = await start({ ageThreshold: 21, metadata: { order: 4711 } });
    expect(started.create!.request).toMatchObject({
      method: 'POST',
      url: `${origin}/session`,
      headers: { 'x-api-key': '••••••••', 'content-type': 'application/json' },
      body: {
        ageThreshold: 21,
        metadata: { order: 4711 },
        callback: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/hooks\//) },
        redirectUrl: `${origin}/demo#${started.id}/back`,
      },
    });
    expect(started.create!.reply).toMatchObject({ status: 201, body: { launchUrl: started.launchUrl } });
    expect([started.state, started.webhooks, started.result]).toEqual(['created', [], null]);

    const simulated = await ask('POST', `/demo/checks/${started.id}/simulate`, { outcome: 'above' });
    expect(simulated.statusCode).toBe(200);

    const view = await untilResult(started.id);
    expect(view.webhooks).toEqual([expect.objectContaining({ verified: true, problem: null })]);
    const [webhook] = view.webhooks;
    expect(webhook!.headers).toMatchObject({
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'x-service-timestamp': expect.stringMatching(/^\d+$/),
      'x-service-attempt': '1',
    });
    const outcome = { flowStatus: 'COMPLETED', sessionStatus: 'AGE_ABOVE_THRESHOLD', metadata: { order: 4711 } };
    expect(webhook!.body).toMatchObject(outcome);
    expect(view.result!.reply!.body).toMatchObject(outcome);
    expect(view.state).toBe('completed');
  });

  it('simulates a wallet only if the check accepts one', async () => {
    const wallet = { outcome: 'above', proof: 'wallet' };
    const { id } = await start({ acceptedProofs: ['wallet'] });
    await ask('POST', `/demo/checks/${id}/simulate`, wallet);
    const { result } = await untilResult(id);
    expect(result!.reply!.body).toMatchObject({ result: { source: 'wallet' } });
    const other = await start({});
    const refused = (await ask('POST', `/demo/checks/${other.id}/simulate`, wallet)).json() as CheckView;
    expect(refused.simulate!.reply!.status).toBe(400);
  });

  it('sends metadata as the typed text, shows it unchanged everywhere, and masks the key in it', async () => {
    const text = `{ "order": 9007199254740993, "price": 1.10, "key": ${JSON.stringify(API_KEY)} }`;
    const shown = '{ "order": 9007199254740993, "price": 1.10, "key": "••••••••" }';
    const check = { kind: 'age', options: {}, metadata: text, redirect: false };
    const { id, create } = (await ask('POST', '/demo/checks', check)).json() as CheckView;
    expect(create!.request.metadata).toBe(shown);
    await ask('POST', `/demo/checks/${id}/simulate`, { outcome: 'above' });
    const { webhooks, result } = await untilResult(id);
    expect([webhooks[0]!.metadata, result!.reply!.metadata]).toEqual([shown, shown]);

    const refused = await ask('POST', '/demo/checks', { ...check, metadata: '{ not json' });
    expect([refused.statusCode, refused.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining('JSON text, such as {"order":4711}') }),
    ]);
  });

  it('redirects no one unless requested, whatever the options contain', async () => {
    const { create } = await start(
      { redirectUrl: 'https://elsewhere.example/', callback: { url: 'https://x/' } },
      false,
    );
    expect(create!.request.body).toEqual({ callback: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) } });
  });

  it('shows the service’s refusal as its reply', async () => {
    const view = await start({ ageThreshold: 'old' });
    expect(view.launchUrl).toBeNull();
    expect(view.create!.reply).toMatchObject({ status: 400, headers: { 'x-error-code': 'validation_failed' } });
    expect((await ask('POST', `/demo/checks/${view.id}/simulate`, { outcome: 'at' })).statusCode).toBe(404);
  });

  it('reports when a device opens the launch page', async () => {
    const started = await start();
    await (await newDevice(app.http)).claim(sessionOf(started));
    await vi.waitFor(async () => {
      expect(await look(started.id)).toMatchObject({ state: 'opened', openedAt: expect.any(Number) });
    }, PATIENCE);
  });

  it('polls the result before the end, as a host without webhooks would', async () => {
    const { id } = await start();
    const reply = await ask('POST', `/demo/checks/${id}/result`);
    const view = reply.json() as CheckView;
    expect(view.result!.reply).toMatchObject({ status: 200, body: { sessionStatus: 'AGE_UNKNOWN' } });
    expect(view.result!.reply!.body).not.toHaveProperty('flowStatus');
  });

  it('streams every change to the page', async () => {
    const { id } = await start();
    const reply = await fetch(`${origin}/demo/checks/${id}/events`);
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await ask('POST', `/demo/checks/${id}/simulate`, { outcome: 'below' });
    let text = '';
    for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/"result":\{.*"status":200/.test(text)) break;
    }
    said += text;
    expect(text).toContain('"launchUrl"');
  });
});

describe('a round with a face', () => {
  const simulate = async (id: string, outcome: string) =>
    (await ask('POST', `/demo/checks/${id}/simulate`, { outcome })).json() as CheckView;
  const people = async () => ((await ask('GET', '/demo/setup')).json() as DemoSetup).people;

  it('enrolls, shows the webhook’s picture from memory, and lists people for VERIFY', async () => {
    const options = {
      type: 'ENROLL',
      sendImages: true,
      transactionID: 'order-4711',
      redirectURL: 'https://x.example/',
    };
    const started = await start(options, false, 'verification');
    expect(started.create!.request).toMatchObject({
      url: `${origin}/v2/verification-session`,
      body: { ...options, redirectURL: `${origin}/demo#${started.id}/back` },
    });
    const selfie = `/demo/checks/${started.id}/pictures/0`;
    expect((await ask('GET', selfie)).statusCode).toBe(404);
    await simulate(started.id, 'success');
    const view = await untilResult(started.id);
    expect(view).toMatchObject({ kind: 'verification', state: 'completed' });
    expect(view.webhooks).toEqual([expect.objectContaining({ verified: true, hasPicture: true })]);
    const body = view.webhooks[0]!.body as { puid: string; images: { data: string }[] };
    expect(body).toMatchObject({ status: 'SUCCESS', transactionId: 'order-4711' });
    expect(body.images[0]!.data).toBe(`${SAMPLE_SELFIE.slice(0, 16)}… (${SAMPLE_SELFIE.length} characters)`);
    expect(view.result!.reply!.body).toMatchObject({ type: 'ENROLL', status: 'SUCCESS', puid: body.puid });

    const picture = await app.http.inject(selfie);
    expect(picture.rawPayload.toString('base64')).toBe(SAMPLE_SELFIE);
    expect(picture.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect((await ask('GET', `/demo/checks/${started.id}/pictures/1`)).statusCode).toBe(404);
    expect((await ask('GET', selfie, undefined, { host: 'evil.example' })).statusCode).toBe(403);
    expect((await people())[0]).toEqual({ puid: body.puid, at: expect.any(Number), simulated: true });

    const verify = { type: 'VERIFY', userId: body.puid, locale: 'en' };
    const { id } = await start(verify, false, 'verification');
    await simulate(id, 'success');
    expect((await untilResult(id)).result!.reply!.body).toMatchObject({ status: 'SUCCESS', puid: body.puid });
    expect(await people()).toHaveLength(1);
  });

  it('recognizes a sign-in of an unknown person, which enrolls no one', async () => {
    const before = await people();
    const { id } = await start({ type: 'SIGN-IN', locale: 'en' }, false, 'verification');
    await simulate(id, 'not_recognized');
    const view = await untilResult(id);
    expect(view.webhooks[0]!.body).toMatchObject({ status: 'error', errorCodes: [153] });
    expect(view.result!.reply!.body).toMatchObject({ status: 'FAILED' });
    expect(await people()).toEqual(before);
  });

  it('shows a refused creation, and a refused outcome of another kind', async () => {
    const refused = await start({ type: 'VERIFY', locale: 'en' }, false, 'verification');
    expect([refused.create!.reply!.status, refused.launchUrl]).toEqual([400, null]);
    expect((await ask('POST', `/demo/checks/${refused.id}/simulate`, { outcome: 'success' })).statusCode).toBe(404);
    const { id } = await start({ type: 'ENROLL' }, false, 'verification');
    expect((await simulate(id, 'above')).simulate!.reply!.status).toBe(400);
  });
});

describe('the receiver', () => {
  async function deliver(view: CheckView, body: string, headers: Record<string, string> = {}) {
    const { url } = (view.create!.request.body as { callback: { url: string } }).callback;
    return fetch(url, { method: 'POST', body, headers });
  }

  it('marks a webhook that is not genuine, refuses it and fetches nothing', async () => {
    const started = await start();
    const forged = { 'x-service-timestamp': String(Math.floor(Date.now() / 1000)) };
    const signature = `sha256=${'0'.repeat(64)}`;
    expect((await deliver(started, '{}')).status).toBe(400);
    expect((await deliver(started, '{}', { ...forged, 'x-service-signature': signature })).status).toBe(400);
    const view = await look(started.id);
    expect(view.webhooks.map(({ verified, problem }) => [verified, problem])).toEqual([
      [false, 'missing_header'],
      [false, 'wrong_signature'],
    ]);
    expect(view.result).toBeNull();
  });

  it('keeps only a few webhooks of limited size', async () => {
    const started = await start();
    for (let nth = 0; nth < 12; nth += 1) await deliver(started, `{"nth":${nth}}`);
    expect((await look(started.id)).webhooks).toHaveLength(8);
    const other = await start();
    // Webhooks that are not genuine must be small. Genuine ones with pictures may be larger.
    expect((await deliver(other, 'x'.repeat(70 * 1024))).status).toBe(413);
    await deliver(other, 'x'.repeat(400 * 1024)).catch(() => undefined);
    expect((await look(other.id)).webhooks).toEqual([]);
  });

  it('replies 410 for an unknown check', async () => {
    const started = await start();
    const { url } = (started.create!.request.body as { callback: { url: string } }).callback;
    const other = url.replace(started.id, crypto.randomUUID());
    expect((await fetch(other, { method: 'POST', body: '{}' })).status).toBe(410);
  });
});

describe('access to starting a check', () => {
  const ROUTES = ['/demo/checks', '/demo/checks/x/simulate', '/demo/checks/x/result'];
  const body = { kind: 'age', options: {}, redirect: false };

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a neighbor of the same site', { 'sec-fetch-site': 'same-site' }],
    ['an address bar', { 'sec-fetch-site': 'none' }],
    ['another origin, in a browser that says no more', { origin: 'https://evil.example', host: 'localhost' }],
    ['a page without an origin', { origin: 'null', host: 'localhost' }],
    ['who says nothing', {}],
  ])('is refused for %s', async (_, headers) => {
    for (const route of ROUTES) expect((await ask('POST', route, body, headers)).statusCode).toBe(403);
  });

  it.each([
    ['a foreign name', 'evil.example:8080'],
    ['a foreign name that begins like ours', 'localhost.evil.example'],
    ['a foreign name with numbers in it', '127.0.0.1.evil.example'],
  ])('is refused for a page that reaches the service under %s, even for reading', async (_, host) => {
    const { id } = await start();
    for (const said of [{}, { 'x-forwarded-host': 'localhost' }]) {
      const headers = { ...SAME_ORIGIN, ...said, origin: `http://${host}`, host };
      for (const route of ROUTES) expect((await ask('POST', route, body, headers)).statusCode).toBe(403);
      for (const route of ['/demo/setup', `/demo/checks/${id}`, `/demo/checks/${id}/events`]) {
        const reply = await ask('GET', route, undefined, headers);
        expect([reply.statusCode, reply.body.includes(id)]).toEqual([403, false]);
      }
    }
  });

  it.each(['localhost:1', 'limen.localhost', '127.0.0.1', '[::1]:8080', '192.168.1.7:8080'])(
    'is granted to its own page under %s',
    async (host) => {
      expect((await ask('POST', '/demo/checks', body, { ...SAME_ORIGIN, host })).statusCode).toBe(201);
      expect((await ask('GET', '/demo/setup', undefined, { host })).statusCode).toBe(200);
    },
  );

  it('is granted to its own page by either header', async () => {
    expect((await ask('POST', '/demo/checks', body, SAME_ORIGIN)).statusCode).toBe(201);
    const headers = { origin: 'http://192.168.1.7:8080', host: '192.168.1.7:8080' };
    expect((await ask('POST', '/demo/checks', body, headers)).statusCode).toBe(201);
  });
});

it('never includes the API key or a token in a reply', () => {
  expect(said.length).toBeGreaterThan(10_000);
  expect(said).not.toContain(API_KEY);
  expect(said).not.toContain(JSON.stringify(API_KEY).slice(1, -1));
  expect(said).not.toContain('demo-key');
  for (const [, token] of said.matchAll(/"token":"([^"]*)"/g)) expect(token).not.toMatch(TOKEN);
});

it('explains what to do without a development key', async () => {
  const bare = await startTestApp({ environment: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
  // A database file belongs to this developer and gets a key automatically; a PostgreSQL may be
  // shared.
  const hasKey = bare.database.engine === 'sqlite';
  const setup = (await bare.http.inject('/demo/setup')).json() as DemoSetup;
  expect(setup).toMatchObject({ hasKey, webhooksArrive: false });
  const payload = { kind: 'age', options: {}, redirect: false };
  const reply = await bare.http.inject({ method: 'POST', url: '/demo/checks', headers: SAME_ORIGIN, payload });
  expect(reply.statusCode).toBe(hasKey ? 201 : 503);
  expect(reply.body.includes('DEV_API_KEY')).toBe(!hasKey);
});

it.each([
  ['in production', { NODE_ENV: 'production', MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }],
  ['without the core', { SERVE: 'launch,node' }],
])('does not exist %s', async (_, environment) => {
  const other = await startTestApp({ environment });
  for (const url of ['/demo', '/demo/setup', '/demo/checks/x', '/demo/checks/x/events', '/demo/assets/x.js']) {
    expect((await other.http.inject(url)).statusCode).toBe(404);
  }
  for (const url of ['/demo/checks', '/demo/checks/x/simulate', '/demo/checks/x/result']) {
    const reply = await other.http.inject({ method: 'POST', url, headers: SAME_ORIGIN, payload: {} });
    expect(reply.statusCode).toBe(404);
  }
  const welcome = await other.http.inject({ url: '/', headers: { 'sec-fetch-mode': 'navigate' } });
  expect(welcome.body).toContain('<main');
  expect(welcome.body).not.toContain('/demo');
});

it('works with a self-signed certificate and redirects to the public URL', async () => {
  const file = (name: string) =>
    fileURLToPath(new URL(`../../../apps/server/testing/tls/${name}.pem`, import.meta.url));
  const PUBLIC_URL = 'https://192.168.1.7:8443/limen';
  const secure = await startTestApp({
    environment: { DEV_API_KEY: API_KEY, TLS_CERT: file('cert'), TLS_KEY: file('key'), PUBLIC_URL },
  });
  await secure.http.listen({ port: 0, host: '127.0.0.1' });
  await secure.jobs.start();
  const post = (url: string, payload: object) =>
    secure.http.inject({ method: 'POST', url, headers: SAME_ORIGIN, payload });
  const view = (await post('/demo/checks', { kind: 'age', options: {}, redirect: true })).json() as CheckView;
  expect(view.launchUrl).toContain(`${PUBLIC_URL}/launch?`);
  expect(view.create!.request).toMatchObject({
    url: `${PUBLIC_URL}/session`,
    body: { redirectUrl: `${PUBLIC_URL}/demo#${view.id}/back` },
  });
  await post(`/demo/checks/${view.id}/simulate`, { outcome: 'above' });
  await vi.waitFor(async () => {
    const { webhooks, result } = (await secure.http.inject(`/demo/checks/${view.id}`)).json() as CheckView;
    expect([webhooks[0]?.verified, result?.reply?.status]).toEqual([true, 200]);
  }, PATIENCE);
});

it('replies under the name of the public URL', async () => {
  const named = await startTestApp({ environment: { DEV_API_KEY: API_KEY, PUBLIC_URL: 'https://limen.example/age' } });
  const look = async (host: string) => (await named.http.inject({ url: '/demo/setup', headers: { host } })).statusCode;
  expect([await look('limen.example'), await look('other.example')]).toEqual([200, 403]);
});

it('closes while a page watches and a webhook is pending', async () => {
  const closing = await startTestApp({ environment: { DEV_API_KEY: API_KEY } });
  const address = await closing.http.listen({ port: 0, host: '127.0.0.1' });
  const payload = { kind: 'age', options: {}, redirect: false };
  const headers = SAME_ORIGIN;
  const view = (
    await closing.http.inject({ method: 'POST', url: '/demo/checks', headers, payload })
  ).json() as CheckView;
  const stream = await fetch(`${address}/demo/checks/${view.id}/events`);
  const { url } = (view.create!.request.body as { callback: { url: string } }).callback;
  await closing.close();
  await stream.text();
  const refused = await new Promise((resolve) => {
    connect(Number(new URL(url).port), '127.0.0.1')
      .once('error', resolve)
      .once('connect', resolve);
  });
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
});
