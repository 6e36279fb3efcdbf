// Descriptor, health, readiness, metrics and the API documents.

import { existsSync } from 'node:fs';
import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, vi } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { startTestApp } from '#testing/test-app.ts';
import { VERSION } from '../../platform/base/version.ts';

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
};

describe('GET /', () => {
  it('describes the service to a program, with exactly the five operations', async () => {
    const { http } = await startTestApp();
    const reply = await http.inject('/');
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.json()).toEqual({
      service: 'limen',
      version: VERSION,
      endpoints: {
        health: 'GET /health',
        createString: 'POST /strings',
        listStrings: 'GET /strings',
        getString: 'GET /strings/:id',
        deleteString: 'DELETE /strings/:id',
      },
    });
  });

  it.each([
    ['Java', { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' }],
    ['a program that accepts both', { accept: 'application/json, text/html' }],
    ["a page's script", { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
    ['an old browser', { accept: BROWSER.accept }],
  ])('describes the service to %s as well', async (_name, headers) => {
    const { http } = await startTestApp();
    const reply = await http.inject({ url: '/', headers });
    expect(reply.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      vary: 'sec-fetch-mode',
    });
    expect(reply.json()).toHaveProperty('endpoints.health');
  });

  it('links a browser to the demo, the reference and the console, and names the guides', async () => {
    const { http } = await startTestApp();
    const { body } = await http.inject({ url: '/', headers: BROWSER });
    expect([...body.matchAll(/<li><a href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      '/demo',
      '/docs',
      expect.stringMatching(/^http:\/\/localhost:\d+\/console$/),
      '/openapi.json',
      '/ready',
      '/metrics',
    ]);
    const guides = [...body.matchAll(/<code>([\w-]+\.md)<\/code>/g)].map(([, file]) => file!);
    expect(guides.length).toBeGreaterThan(2);
    for (const file of guides) expect(existsSync(new URL(`../../../../../docs/${file}`, import.meta.url))).toBe(true);
  });

  it('welcomes a browser with a page that loads nothing from elsewhere', async () => {
    const { http } = await startTestApp();
    const reply = await http.inject({ url: '/', headers: BROWSER });
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(reply.headers['vary']).toBe('sec-fetch-mode');
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'; style-src 'self'");
    expect(reply.body).toContain(VERSION);
    expect(reply.body).not.toMatch(/(src|<link[^>]* href)="(https?:)?\/\//);
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(reply.body)?.[1] ?? '';
    expect((await http.inject(style)).headers['content-type']).toBe('text/css; charset=utf-8');
  });
});

describe('GET /health', () => {
  it("reports ok, with the uptime by the service's own clock", async () => {
    const clock = createManualClock();
    const { http } = await startTestApp({ clock });
    clock.advance(90_500);
    const reply = await http.inject('/health');
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ status: 'ok', service: 'limen', version: VERSION, uptimeSeconds: 90 });
  });

  it('returns 503 while the database does not answer, and so does readiness', async () => {
    const app = await startTestApp();
    await app.database.close();
    const health = await app.http.inject('/health');
    expect(health.statusCode).toBe(503);
    expect(health.json()).toMatchObject({ status: 'unavailable', service: 'limen' });
    const ready = await app.http.inject('/ready');
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toMatchObject({ status: 'not ready', checks: { database: 'does not answer' } });
  });
});

describe('GET /ready', () => {
  it('lists its parts', async () => {
    const { http } = await startTestApp();
    const reply = await vi.waitFor(async () => {
      const answer = await http.inject('/ready'); // Lists are loaded after the start.
      expect(answer.statusCode).toBe(200);
      return answer;
    }, PATIENCE);
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({
      status: 'ready',
      checks: {
        database: 'ready',
        clock: 'ready',
        disk: 'ready',
        datasets: 'ready',
        faces: 'ready',
        keyholder: 'ready',
        tokens: 'ready',
      },
    });
  });
});

describe('GET /metrics', () => {
  const TOKEN = 'a-metrics-token-of-some-length';

  it('counts requests by route pattern, never by path', async () => {
    const { http } = await startTestApp();
    await http.inject('/strings/01900000-0000-7000-8000-000000000000');
    await http.inject('/no/such/path');
    const { body, headers } = await http.inject('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(body).toMatch(/limen_http_request_duration_seconds_count\{.*route="\/strings\/:id",status="404"\} 1/);
    expect(body).toContain('route="unmatched"');
    expect(body).not.toContain('01900000');
    expect(body).not.toContain('/no/such/path');
  });

  it.each([
    ['another machine', { remoteAddress: '203.0.113.7' }],
    ['a proxy on this machine', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
  ])('refuses %s without a token', async (_name, from) => {
    const { http } = await startTestApp();
    expect((await http.inject({ url: '/metrics', ...from })).statusCode).toBe(403);
  });

  it('requires the token of everyone once it is set', async () => {
    const { http } = await startTestApp({ environment: { METRICS_TOKEN: TOKEN } });
    const ask = (authorization: string) =>
      http.inject({ url: '/metrics', headers: { authorization }, remoteAddress: '203.0.113.7' });
    expect((await http.inject('/metrics')).statusCode).toBe(401);
    expect((await ask('Bearer wrong')).statusCode).toBe(401);
    expect((await ask(`Bearer ${TOKEN}`)).statusCode).toBe(200);
  });
});

describe('the API documents', () => {
  it('name every operation once, and describe the webhook', async () => {
    const { http } = await startTestApp();
    const document = (await http.inject('/openapi.json')).json();
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(Object.values);
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['getDescriptor', 'postSession', 'getStringsById']));
    const { schema } = document.webhooks['age_session.ended'].post.requestBody.content['application/json'];
    expect(document.components.schemas[schema.$ref.split('/').at(-1)]).toHaveProperty('properties.riskEvaluation');
  });

  it('describe every served route with its replies', async () => {
    const { http } = await startTestApp();
    const document = (await http.inject('/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).toSorted()).toEqual([
      '/',
      '/.well-known/jwks.json',
      '/device/sessions/{sessionId}',
      '/device/sessions/{sessionId}/age-key',
      '/device/sessions/{sessionId}/age-key/new',
      '/device/sessions/{sessionId}/age-key/new/options',
      '/device/sessions/{sessionId}/age-key/options',
      '/device/sessions/{sessionId}/answer',
      '/device/sessions/{sessionId}/cancel',
      '/device/sessions/{sessionId}/claim',
      '/device/sessions/{sessionId}/handoff',
      '/device/sessions/{sessionId}/handoff/decline',
      '/device/sessions/{sessionId}/handoff/look',
      '/device/sessions/{sessionId}/handoff/return',
      '/device/sessions/{sessionId}/log',
      '/device/sessions/{sessionId}/passkey',
      '/device/sessions/{sessionId}/passkey/options',
      '/device/sessions/{sessionId}/selfie',
      '/device/sessions/{sessionId}/token',
      '/device/sessions/{sessionId}/token/challenge',
      '/device/sessions/{sessionId}/token/forget',
      '/device/sessions/{sessionId}/token/local',
      '/device/sessions/{sessionId}/updates',
      '/device/sessions/{sessionId}/wallet',
      '/device/sessions/{sessionId}/wallet/link',
      '/device/sessions/{sessionId}/wallet/link/finish',
      '/device/sessions/{sessionId}/wallet/options',
      '/health',
      '/launch/my-age-key/delete',
      '/launch/my-age-key/options',
      '/launch/wallet/{linkId}',
      '/metrics',
      '/node/api-key/checkApiKeyValid',
      '/node/deleteUser',
      '/node/enroll',
      '/node/plainEnroll',
      '/node/plainPredict',
      '/node/predict',
      '/node/{version}/deleteUser',
      '/node/{version}/enroll',
      '/node/{version}/predict',
      '/openapi.json',
      '/ready',
      '/session',
      '/session/{token}',
      '/session/{token}/result',
      '/session/{token}/simulate',
      '/strings',
      '/strings/{id}',
      '/v2/open-sanctions/datasets',
      '/v2/open-sanctions/file/{dataset}',
      '/v2/screening/alerts',
      '/v2/screening/match',
      '/v2/screening/subjects',
      '/v2/screening/subjects/count',
      '/v2/screening/subjects/find',
      '/v2/screening/subjects/import',
      '/v2/screening/subjects/{id}',
      '/v2/screening/subjects/{id}/evidence',
      '/v2/screening/subjects/{id}/hits',
      '/v2/screening/subjects/{id}/hits/{hitId}/decision',
      '/v2/screening/subjects/{id}/hits/{hitId}/decision/withdraw',
      '/v2/verification-session',
      '/v2/verification-session/{sessionId}',
      '/v2/verification-session/{sessionId}/result',
      '/v2/verification-session/{sessionId}/simulate',
      '/v2/verification-session/{sessionId}/trust-device',
      '/v2/webhook-deliveries',
      '/v2/webhook-deliveries/{id}/resend',
      '/yente/algorithms',
      '/yente/catalog',
      '/yente/entities/{entityId}',
      '/yente/entities/{entityId}/adjacent',
      '/yente/entities/{entityId}/adjacent/{property}',
      '/yente/healthz',
      '/yente/match/{dataset}',
      '/yente/readyz',
      '/yente/search/{dataset}',
    ]);
    expect(Object.keys(document.paths['/strings'].post.responses)).toEqual([
      '201',
      '400',
      '413',
      '415',
      '422',
      '507',
      '4XX',
      '5XX',
    ]);
    const plainEnroll = document.paths['/node/plainEnroll'].post;
    expect(plainEnroll.requestBody.content['application/json'].schema.required).toEqual(['features']);
    expect(document.components.schemas.StringRecord.required).toEqual(['id', 'value', 'createdAt']);
  });

  it('state when a key is required', async () => {
    const { http } = await startTestApp({ environment: { REQUIRE_API_KEY: 'strings' } });
    const { post } = (await http.inject('/openapi.json')).json().paths['/strings'];
    expect(post.security).toEqual([{ apiKey: [] }]);
    expect(post.responses).toHaveProperty('401');
  });

  it('are rendered as pages that need no script', async () => {
    const { http } = await startTestApp();
    const { body, headers } = await http.inject('/docs/strings');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const text of ['<wbr>/strings<wbr>/{id}', 'Create a string', 'nextCursor', 'Grüße'])
      expect(body).toContain(text);
    expect(headers['content-security-policy']).toContain("script-src 'self'; connect-src 'self'");
    expect((await http.inject('/docs/nothing')).headers['x-error-code']).toBe('not_found');
  });
});

describe('SERVE', () => {
  it('leaves out the parts that were not requested', async () => {
    const { http } = await startTestApp({ environment: { SERVE: 'launch' } });
    expect((await http.inject('/strings')).statusCode).toBe(404);
    expect((await http.inject('/health')).statusCode).toBe(200);
  });

  it.each([
    ['descriptor', {}],
    ['welcome page', BROWSER],
  ])('names in the %s only what is served', async (_name, headers) => {
    const { http } = await startTestApp({ environment: { SERVE: 'node' } });
    const { body } = await http.inject({ url: '/', headers });
    expect(body).toContain('/health');
    expect(body).not.toMatch(/strings|sanctions|demo|console/i);
  });
});

it('shows the demo first in development', async () => {
  const { http } = await startTestApp();
  const page = await http.inject({ url: '/', headers: BROWSER });
  expect(/<ul class="cards">\s*<li><a href="([^"]*)"/.exec(page.body)?.[1]).toBe('/demo');
});
