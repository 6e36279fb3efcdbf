// The host's calls for age sessions and webhook deliveries: requests and retries.
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { refuse, reply, reset } from '../../testing/scripted-server.ts';

const CREATED = { token: 't', launchUrl: 'https://check.example/?sessionId=s', expiresAt: '2026-01-01T00:00:00.000Z' };
const RESULT = { token: 't', sessionId: 's', sessionStatus: 'AGE_UNKNOWN', errors: [] };

describe('creating a session', () => {
  it('is retried with one idempotency key and sends an empty object by default', async () => {
    const { client, received } = await startScriptedClient([reset, refuse(503, 'unavailable'), reply(201, CREATED)]);
    expect(await client.ageSessions.create()).toEqual(CREATED);
    expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual(
      Array(3).fill('POST /session {}'),
    );
    const keys = new Set(received.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('uses the caller’s idempotency key', async () => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)]);
    await client.ageSessions.create({ ageThreshold: 21 }, { idempotencyKey: 'order-7' });
    expect(received).toMatchObject([{ body: '{"ageThreshold":21}', headers: { 'idempotency-key': 'order-7' } }]);
  });
});

describe('a bearer token', () => {
  it('is sent only with the creation of a session', async () => {
    const { client, received } = await startScriptedClient(
      [reply(201, CREATED), reply(200, RESULT), reply(204), reply(200, { strings: [] })],
      { bearerToken: 'a.b.c', apiKey: 'k' },
    );
    await client.ageSessions.create();
    await client.ageSessions.result('t');
    await client.ageSessions.redact('t');
    await client.strings.list();
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer a.b.c', ...Array(3).fill(undefined)]);
  });

  it('is requested for each session and reused for its attempts', async () => {
    let asked = 0;
    const bearerToken = async () => `token-${++asked}`;
    const { client, received } = await startScriptedClient([reset, reply(201, CREATED), reply(201, CREATED)], {
      bearerToken,
    });
    await client.ageSessions.create();
    await client.ageSessions.create();
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it.each(['', 'a b', 'secret\n'])('%j is rejected without being quoted', async (bearerToken) => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)], { bearerToken });
    const error = await rejectionOf(client.ageSessions.create());
    expect(error).toEqual(new TypeError('bearerToken must contain visible ASCII characters only'));
    expect(received).toEqual([]);
  });
});

describe('a function for the bearer token', () => {
  it.each([undefined, null, '', 7])('must not return %j, and nothing is sent without a token', async (given) => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)], {
      bearerToken: async () => given as string,
    });
    expect(await rejectionOf(client.ageSessions.create())).toEqual(
      new TypeError('The bearerToken function must return a token.'),
    );
    expect(received).toEqual([]);
  });

  it('rejects the call if it fails', async () => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)], {
      bearerToken: () => Promise.reject(new Error('the issuer is away')),
    });
    expect(await rejectionOf(client.ageSessions.create())).toEqual(new Error('the issuer is away'));
    expect(received).toEqual([]);
  });

  it('is not awaited after the caller aborts', async () => {
    const { client, received } = await startScriptedClient([reply(201, CREATED)], {
      bearerToken: () => new Promise<never>(() => {}),
    });
    const controller = new AbortController();
    const call = rejectionOf(client.ageSessions.create({}, { signal: controller.signal }));
    controller.abort(new Error('the visitor left'));
    expect(await call).toEqual(new Error('the visitor left'));
    expect(received).toEqual([]);
  });

  it('is not called if the caller aborted before', async () => {
    let asked = 0;
    const { client } = await startScriptedClient([], { bearerToken: () => `token-${++asked}` });
    const signal = AbortSignal.abort(new Error('the visitor left'));
    expect(await rejectionOf(client.ageSessions.create({}, { signal }))).toEqual(new Error('the visitor left'));
    expect(asked).toBe(0);
  });
});

describe('the other calls for a session', () => {
  it('reads the result, again if the reply was lost', async () => {
    const { client, received } = await startScriptedClient([reset, reply(200, RESULT)]);
    expect(await client.ageSessions.result('a/b')).toEqual({ ...RESULT, metadataText: '{}' });
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(2).fill('GET /session/a%2Fb/result'));
  });

  it('treats a session as deleted if it is gone after a lost reply', async () => {
    const { client } = await startScriptedClient([reset, refuse(404, 'not_found'), refuse(404, 'not_found')]);
    expect(await client.ageSessions.redact('t')).toBeUndefined();
    expect(await rejectionOf(client.ageSessions.redact('t'))).toMatchObject({ status: 404 });
  });

  it('simulates without retries, because the outcome of a retry is ambiguous', async () => {
    const { client, received } = await startScriptedClient([reset, reply(200, RESULT)]);
    expect(await rejectionOf(client.ageSessions.simulate('t', { outcome: 'above' }))).toMatchObject({
      code: 'connection_failed',
    });
    expect(received).toMatchObject([{ method: 'POST', url: '/session/t/simulate', body: '{"outcome":"above"}' }]);
  });
});

describe('webhook deliveries', () => {
  it('are listed page by page with the filters', async () => {
    const { client, received } = await startScriptedClient([
      reply(200, { deliveries: [{ id: '2' }], nextCursor: '2' }),
      reply(200, { deliveries: [{ id: '1' }] }),
    ]);
    const ids: string[] = [];
    for await (const { id } of client.webhookDeliveries.iterate({ pageSize: 1, sessionId: 's', state: 'dead' })) {
      ids.push(id);
    }
    expect(ids).toEqual(['2', '1']);
    expect(received.map(({ url }) => url)).toEqual([
      '/v2/webhook-deliveries?limit=1&sessionId=s&state=dead',
      '/v2/webhook-deliveries?limit=1&cursor=2&sessionId=s&state=dead',
    ]);
  });

  it('are resent, also after a lost reply', async () => {
    const { client, received } = await startScriptedClient([reset, reply(202, { id: 'd' })]);
    expect(await client.webhookDeliveries.resend('d')).toEqual({ id: 'd' });
    expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual(
      Array(2).fill('POST /v2/webhook-deliveries/d/resend '),
    );
  });
});
