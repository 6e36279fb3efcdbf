// The delivery log over HTTP: ownership, pages and resends.
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { OWNER, prepareWebhooks } from '#testing/webhooks/webhook-place.ts';
import { named, type SessionId } from '../platform/base/ids.ts';
import { createAccess } from '../platform/http/access.ts';
import { describeApi } from '../platform/http/reference/openapi.ts';
import { createHttpServer } from '../platform/http/server.ts';
import { createMetrics } from '../platform/watch/metrics.ts';
import { registerWebhookDeliveryRoutes } from './routes.ts';

async function serve() {
  const place = await prepareWebhooks();
  const process = place.start();
  const http = createHttpServer({ metrics: createMetrics(false), log: pino({ level: 'silent' }) });
  onTestFinished(() => http.close());
  await describeApi(http, '0');
  registerWebhookDeliveryRoutes({ http, access: createAccess(place.apiKeys, undefined) }, process.webhooks);
  const call = (method: 'GET' | 'POST', url: string, apiKey: string | undefined = place.key.apiKey) =>
    http.inject({ method, url, headers: apiKey === undefined ? {} : { 'x-api-key': apiKey } });
  const another = await place.apiKeys.create({ kind: 'test', customerId: 'another', clientCredentials: false });
  return { ...place, process, call, http, anotherKey: another.apiKey };
}

describe('GET /v2/webhook-deliveries', () => {
  it('shows deliveries and their outcomes, but neither body nor header values', async () => {
    const { process, call, clock } = await serve();
    const receiver = await startReceiver((nth) => (nth === 1 ? 200 : 503));
    await process.write({
      url: `${receiver.url}/path-secret?q=query-secret`,
      sessionId: 'a',
      headers: { k: 'header-secret' },
      body: 'body-secret',
    });
    await process.jobs.runDue();
    await process.write({ url: receiver.url, sessionId: 'b' });
    await process.jobs.runDue();
    const reply = await call('GET', '/v2/webhook-deliveries');
    const now = new Date(clock.now()).toISOString();
    const url = new URL(receiver.url).origin;
    const common = { id: expect.any(String), url, attempts: 1, createdAt: now, lastAttemptAt: now };
    const rest = { canResend: true, bodyKeptUntil: new Date(clock.now() + 86_400_000).toISOString() };
    const nextAttemptAt = new Date(clock.now() + 5_000).toISOString();
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({
      deliveries: [
        { ...common, ...rest, sessionId: 'b', state: 'pending', lastStatus: 503, lastError: 'status', nextAttemptAt },
        { ...common, ...rest, sessionId: 'a', state: 'delivered', lastStatus: 200, endedAt: now },
      ],
    });
    expect(reply.body).not.toContain('secret');
    const pending = await call('GET', '/v2/webhook-deliveries?state=pending');
    expect(pending.json().deliveries).toMatchObject([{ sessionId: 'b' }]);
    const ofSession = await call('GET', '/v2/webhook-deliveries?sessionId=a');
    expect(ofSession.json().deliveries).toMatchObject([{ sessionId: 'a' }]);
  });

  it('is paged, with each delivery once, newest first', async () => {
    const { process, call } = await serve();
    for (let nth = 0; nth < 5; nth += 1) await process.write({ url: 'http://127.0.0.1:1/', sessionId: `s${nth}` });
    const seen: string[] = [];
    let cursor = '';
    do {
      const { deliveries, nextCursor } = (await call('GET', `/v2/webhook-deliveries?limit=2${cursor}`)).json();
      expect(deliveries.length).toBeLessThanOrEqual(2);
      seen.push(...deliveries.map(({ sessionId }: { sessionId: SessionId }) => sessionId));
      cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(['s4', 's3', 's2', 's1', 's0']);
  });

  it('shows another customer nothing, and requires a key', async () => {
    const { process, call, http, anotherKey } = await serve();
    await process.write({ url: 'http://127.0.0.1:1/' });
    expect((await call('GET', '/v2/webhook-deliveries', anotherKey)).json()).toEqual({ deliveries: [] });
    expect((await http.inject('/v2/webhook-deliveries')).statusCode).toBe(401);
    expect((await call('GET', '/v2/webhook-deliveries', 'unknown')).statusCode).toBe(401);
  });

  it('refuses an invalid query', async () => {
    const { call } = await serve();
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=nonsense', 'state=lost', 'sessionId=']) {
      const reply = await call('GET', `/v2/webhook-deliveries?${query}`);
      expect([reply.statusCode, reply.json().details[0].path]).toEqual([400, `query.${query.split('=')[0]}`]);
    }
  });
});

describe('POST /v2/webhook-deliveries/:id/resend', () => {
  it('resends it', async () => {
    const { process, call } = await serve();
    const receiver = await startReceiver((nth) => (nth === 1 ? 410 : 200));
    await process.write({ url: receiver.url });
    await process.jobs.runDue();
    const [{ id }] = (await call('GET', '/v2/webhook-deliveries')).json().deliveries;
    const reply = await call('POST', `/v2/webhook-deliveries/${id}/resend`);
    expect([reply.statusCode, reply.json()]).toEqual([
      202,
      expect.objectContaining({ id, state: 'pending', attempts: 1 }),
    ]);
    await process.jobs.runDue();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect((await process.webhooks.list(OWNER, { limit: 1 }))[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('answers another customer as it answers an unknown id', async () => {
    const { process, call, anotherKey, http } = await serve();
    await process.write({ url: 'http://127.0.0.1:1/' });
    const [row] = await process.log();
    const path = `/v2/webhook-deliveries/${row!.id}/resend`;
    const unknown = '/v2/webhook-deliveries/00000000-0000-7000-8000-000000000000/resend';
    const replies = [
      await call('POST', path, anotherKey),
      await call('POST', unknown, anotherKey),
      await call('POST', unknown),
    ];
    for (const reply of replies) {
      expect(reply.statusCode).toBe(404);
      expect(reply.json().message).toBe('There is no webhook delivery with this id.');
    }
    expect((await http.inject({ method: 'POST', url: path })).statusCode).toBe(401);
    expect(await process.log()).toEqual([row]);
  });

  it('answers 404 once the body is deleted', async () => {
    const { process, call, database } = await serve();
    await process.write({ url: 'http://127.0.0.1:1/', sessionId: 's', purgeAt: 1 });
    await database.transact((trx) => process.webhooks.forgetSessions(trx, [named('s')]));
    const [row] = await process.log();
    const reply = await call('POST', `/v2/webhook-deliveries/${row!.id}/resend`);
    expect([reply.statusCode, reply.json().message]).toEqual([404, expect.stringContaining('has been deleted')]);
  });
});
