// A traced service, from the caller's request to the webhook receiver, and what its traces omit.
import { expect, it } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { startCollector } from '#testing/platform/collector.ts';
import { capture, enroll, newFace, newVerificationHost, PAGE_ORIGIN } from '#testing/sessions/verification-app.ts';
import { startTestApp } from '#testing/test-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const FROM_CALLER = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

it('shows one trace of a session, its queries and its webhook', async () => {
  const collector = await startCollector();
  const receiver = await startReceiver(() => 200);
  const app = await startTestApp({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const { apiKey } = await app.apiKeys.create({ kind: 'development', clientCredentials: false });
  const headers = { 'x-api-key': apiKey, traceparent: FROM_CALLER };
  const metadata = { who: 'Ada Lovelace' };
  const payload = { callback: { url: `${receiver.url}?secret=1` }, metadata };
  const created = await app.http.inject({ method: 'POST', url: '/session', headers, payload });
  const { token } = created.json();
  const simulate = {
    method: 'POST',
    url: `/session/${token}/simulate`,
    headers,
    payload: { outcome: 'above' },
  } as const;
  expect((await app.http.inject(simulate)).statusCode).toBe(200);
  while ((await app.jobs.runDue()) > 0);
  await app.http.inject({ method: 'GET', url: '/nothing/Ada%20Lovelace?name=Ada', headers });
  await app.close();

  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const [request] = named('POST /session/:token/simulate');
  expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: '00f067aa0ba902b7', kind: 2 });
  expect(request!.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } });
  const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === request!.spanId).map(({ name }) => name);
  expect(below).toEqual(
    expect.arrayContaining(['select sessions', 'update sessions', 'insert webhook_deliveries', 'webhook']),
  );
  expect(named('GET unmatched')).toHaveLength(1);
  const [webhook] = named('webhook');
  expect(receiver.received[0]!.headers['traceparent']).toBe(`00-${TRACE_ID}-${webhook!.spanId}-01`);
  const session = JSON.parse(receiver.received[0]!.body).sessionId ?? token;
  for (const value of [token, session, apiKey, 'Ada', 'Lovelace', 'secret=1', receiver.url])
    expect(collector.texts.join('')).not.toContain(value);
  expect(app.logged()).toContain(`"traceId":"${TRACE_ID}"`);
});

it('shows the calls to the key-holder', async () => {
  const collector = await startCollector();
  const [storage, clock] = [await createTestDatabase(), createManualClock()];
  const environment = {
    ...{ SERVE: 'core,launch,node', PUBLIC_URL: PAGE_ORIGIN },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  const app = await startTestApp({ clock, database: storage, environment });
  const host = await newVerificationHost({ app });
  await enroll({ app, storage, clock }, host, newFace());
  const session = await capture({ app, clock }, await host.start('SIGN-IN'));
  await session.reach('token');
  await session.show(newFace());
  await app.close();
  await storage.dispose();
  const calls = collector.spans.filter(({ name }) => name.startsWith('keyholder '));
  const asked = calls.map(({ name }) => name);
  expect(asked).toEqual(expect.arrayContaining(['keyholder openChallenge', 'keyholder begin', 'keyholder finish']));
  const parents = new Set(collector.spans.filter(({ kind }) => kind === 2).map(({ spanId }) => spanId));
  expect(
    calls.filter(({ name, parentSpanId }) => name === 'keyholder openChallenge' && parents.has(parentSpanId!)),
  ).toHaveLength(2);
  expect(collector.texts.join('')).not.toContain(session.id);
});

it('is off unless a collector is configured: no trace context is passed on', async () => {
  const receiver = await startReceiver(() => 200);
  const app = await startTestApp();
  const { apiKey } = await app.apiKeys.create({ kind: 'development', clientCredentials: false });
  const headers = { 'x-api-key': apiKey, traceparent: FROM_CALLER };
  const payload = { callback: { url: receiver.url } };
  const { token } = (await app.http.inject({ method: 'POST', url: '/session', headers, payload })).json();
  await app.http.inject({ method: 'POST', url: `/session/${token}/simulate`, headers, payload: { outcome: 'above' } });
  while ((await app.jobs.runDue()) > 0);
  expect(receiver.received[0]!.headers['traceparent']).toBeUndefined();
  expect(app.logged()).not.toContain('traceId');
});
