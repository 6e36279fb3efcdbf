// The string store over HTTP, grouped by status.

import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const DAY_MS = 24 * 60 * 60 * 1000;

function post(app: TestApp, payload: unknown, headers: Record<string, string> = {}) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return app.http.inject({
    method: 'POST',
    url: '/strings',
    payload: body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function get(app: TestApp, url: string, headers: Record<string, string> = {}) {
  return app.http.inject({ method: 'GET', url, headers });
}

function remove(app: TestApp, id: string, headers: Record<string, string> = {}) {
  return app.http.inject({ method: 'DELETE', url: `/strings/${id}`, headers });
}

describe('201', () => {
  it('creates a record and returns its location', async () => {
    const clock = createManualClock(Date.UTC(2026, 4, 17, 10, 30));
    const app = await startTestApp({ clock });
    const reply = await post(app, { value: 'hello', unknown: 'ignored' });
    expect(reply.statusCode).toBe(201);
    const { warnings, ...record } = reply.json();
    expect(record).toEqual({ id: expect.any(String), value: 'hello', createdAt: '2026-05-17T10:30:00.000Z' });
    expect(warnings).toEqual([{ path: 'body.unknown', message: 'is not a known field and was ignored' }]);
    expect(reply.headers.location).toBe(`/strings/${record.id}`);
    expect((await get(app, `/strings/${record.id}`)).json()).toEqual(record);
  });

  it('accepts the longest value, counted in code points and written with escapes', async () => {
    const app = await startTestApp();
    const escaped = '\\ud83d\\ude00'.repeat(65_536);
    const reply = await post(app, `{"value":"${escaped}"}`);
    expect(reply.statusCode).toBe(201);
    expect(reply.json().value).toBe('😀'.repeat(65_536));
  });

  it('returns the first reply to the same Idempotency-Key and body, and stores one record', async () => {
    const app = await startTestApp();
    const headers = { 'idempotency-key': 'order-1' };
    const first = await post(app, { value: 'once' }, headers);
    const again = await post(app, { value: 'once' }, headers);
    expect(again.statusCode).toBe(201);
    expect(again.json()).toEqual(first.json());
    expect(again.headers.location).toBe(first.headers.location);
    expect((await get(app, '/strings')).json().strings).toHaveLength(1);
  });

  it('creates one record for many concurrent requests with the same Idempotency-Key', async () => {
    const app = await startTestApp();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => post(app, { value: 'once' }, { 'idempotency-key': 'race' })),
    );
    expect(new Set(replies.map((reply) => reply.statusCode))).toEqual(new Set([201]));
    expect(new Set(replies.map((reply) => reply.json().id)).size).toBe(1);
    expect((await get(app, '/strings')).json().strings).toHaveLength(1);
  });

  it('forgets an Idempotency-Key after 24 hours, and when its record is deleted', async () => {
    const clock = createManualClock();
    const app = await startTestApp({ clock });
    const headers = { 'idempotency-key': 'k' };
    const first = (await post(app, { value: 'v' }, headers)).json();
    clock.advance(DAY_MS - 1);
    expect((await post(app, { value: 'v' }, headers)).json().id).toBe(first.id);
    clock.advance(1);
    const second = (await post(app, { value: 'v' }, headers)).json();
    expect(second.id).not.toBe(first.id);
    expect((await remove(app, second.id)).statusCode).toBe(204);
    expect((await post(app, { value: 'v' }, headers)).json().id).not.toBe(second.id);
  });
});

describe('200', () => {
  it('lists newest first, in pages', async () => {
    const app = await startTestApp();
    for (const value of ['a', 'b', 'c', 'd', 'e']) await post(app, { value });
    const values: string[][] = [];
    let url = '/strings?limit=2';
    for (;;) {
      const page = (await get(app, url)).json();
      values.push(page.strings.map((record: { value: string }) => record.value));
      if (!page.nextCursor) break;
      url = `/strings?limit=2&cursor=${page.nextCursor}`;
    }
    expect(values).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
  });

  it('answers an empty store with an empty list and no cursor', async () => {
    const app = await startTestApp();
    expect((await get(app, '/strings')).json()).toEqual({ strings: [] });
  });

  it('returns 50 records on a page by default, and at most 200', async () => {
    const app = await startTestApp();
    await Promise.all(Array.from({ length: 205 }, (_, index) => post(app, { value: `${index}` })));
    expect((await get(app, '/strings')).json().strings).toHaveLength(50);
    expect((await get(app, '/strings?limit=200')).json().strings).toHaveLength(200);
  });

  it('ends a page of huge values early, without losing one', async () => {
    const app = await startTestApp();
    const value = '字'.repeat(65_536); // 196,608 bytes: 6 of them exceed 1 MiB.
    for (let index = 0; index < 8; index++) await post(app, { value });
    const first = (await get(app, '/strings?limit=200')).json();
    expect(first.strings).toHaveLength(6);
    const second = (await get(app, `/strings?limit=200&cursor=${first.nextCursor}`)).json();
    expect(second.strings).toHaveLength(2);
    expect(second.nextCursor).toBeUndefined();
  });

  it('keeps the order when the clock jumps back', async () => {
    const clock = createManualClock();
    const app = await startTestApp({ clock });
    await post(app, { value: 'first' });
    clock.advance(-60_000);
    await post(app, { value: 'second' });
    const values = (await get(app, '/strings')).json().strings.map((record: { value: string }) => record.value);
    expect(values).toEqual(['second', 'first']);
  });
});

describe('204', () => {
  it('deletes once', async () => {
    const app = await startTestApp();
    const { id } = (await post(app, { value: 'gone' })).json();
    const reply = await remove(app, id);
    expect(reply.statusCode).toBe(204);
    expect(reply.body).toBe('');
    expect((await remove(app, id)).statusCode).toBe(404);
    expect((await get(app, `/strings/${id}`)).statusCode).toBe(404);
  });

  it('deletes even if a JSON content type announces an absent body', async () => {
    const app = await startTestApp();
    const { id } = (await post(app, { value: 'gone' })).json();
    expect((await remove(app, id, { 'content-type': 'application/json' })).statusCode).toBe(204);
  });

  it('lets exactly one of many simultaneous deletes succeed', async () => {
    const app = await startTestApp();
    const { id } = (await post(app, { value: 'gone' })).json();
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await remove(app, id)).statusCode));
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(9);
  });
});

describe('400', () => {
  it.each([
    ['a missing value', {}, 'body.value', 'is required'],
    ['an empty value', { value: '' }, 'body.value', 'must not be empty'],
    ['a number', { value: 5 }, 'body.value', 'must be a string'],
    ['null', { value: null }, 'body.value', 'is required'],
    ['an array', { value: ['a'] }, 'body.value', 'must be a string'],
    ['an array as body', [], 'body', 'must be an object'],
    ['a string as body', '"text"', 'body', 'must be an object'],
    ['null as body', 'null', 'body', 'must be an object'],
    ['a missing body', '', 'body', 'is required; send JSON with Content-Type application/json'],
    [
      'a value that is one code point too long',
      { value: '😀'.repeat(65_537) },
      'body.value',
      'must have at most 65536 characters',
    ],
    ['NUL', { value: 'a\0b' }, 'body.value', 'must not contain NUL (U+0000)'],
    [
      'a lone surrogate',
      '{"value":"\\ud83d"}',
      'body.value',
      'must not contain a lone surrogate; it is not a Unicode character',
    ],
  ])('refuses %s', async (_name, payload, path, message) => {
    const app = await startTestApp();
    const reply = await post(app, payload);
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: `${path} ${message}`,
      requestId: reply.headers['x-request-id'],
      details: [{ path, message }],
    });
    expect(reply.headers['x-error-code']).toBe('validation_failed');
  });

  it.each([
    ['limit=0', 'query.limit', 'must be 1 or more'],
    ['limit=201', 'query.limit', 'must be 200 or less'],
    ['limit=ten', 'query.limit', 'must be an integer in plain digits, such as 50, and be sent once'],
    ['limit=', 'query.limit', 'must be an integer in plain digits, such as 50, and be sent once'],
    ['limit=1.5', 'query.limit', 'must be an integer in plain digits, such as 50, and be sent once'],
    ['limit=1&limit=2', 'query.limit', 'must be an integer in plain digits, such as 50, and be sent once'],
    ['cursor=', 'query.cursor', 'must not be empty'],
    ['cursor=nonsense', 'query.cursor', 'must be the nextCursor of an earlier page, unchanged'],
  ])('refuses the query %s', async (query, path, message) => {
    const app = await startTestApp();
    const reply = await get(app, `/strings?${query}`);
    expect(reply.statusCode).toBe(400);
    expect(reply.json().details).toEqual([{ path, message }]);
  });

  it.each([
    ['empty', ''],
    ['blank', ' '],
    ['in two words', 'a b'],
    ['not ASCII', 'ä'],
    ['too long', 'x'.repeat(256)],
  ])('refuses an Idempotency-Key that is %s', async (_name, key) => {
    const app = await startTestApp();
    const reply = await post(app, { value: 'v' }, { 'idempotency-key': key });
    expect(reply.statusCode).toBe(400);
    expect(reply.json().details[0].path).toBe('header.idempotency-key');
  });
});

describe('401 and 404 in a closed store', () => {
  it('requires a key before anything is read', async () => {
    const app = await startTestApp({ environment: { REQUIRE_API_KEY: 'strings' } });
    for (const reply of [
      await post(app, 'not even JSON'),
      await get(app, '/strings'),
      await get(app, `/strings/${UNKNOWN_ID}`),
      await remove(app, UNKNOWN_ID),
      await get(app, '/strings', { 'x-api-key': 'wrong' }),
    ]) {
      expect(reply.statusCode).toBe(401);
      expect(reply.json()).toMatchObject({ statusCode: 401, message: 'Invalid API key' });
      expect(reply.headers['x-error-code']).toBe('invalid_api_key');
      expect(reply.headers['www-authenticate']).toBe('ApiKey realm="limen", header="x-api-key"');
    }
  });

  it('shows each customer only its own strings, whichever of its keys is used', async () => {
    const app = await startTestApp({ environment: { REQUIRE_API_KEY: 'strings' } });
    const key = async (customerId: string) => {
      const created = await app.apiKeys.create({ kind: 'live', customerId, clientCredentials: true });
      return { 'x-api-key': created.apiKey };
    };
    const [mine, alsoMine, theirs] = [await key('a'), await key('a'), await key('b')];
    const { id } = (await post(app, { value: 'mine' }, mine)).json();
    expect((await get(app, `/strings/${id}`, alsoMine)).json().value).toBe('mine');
    expect((await get(app, `/strings/${id}`, theirs)).statusCode).toBe(404);
    expect((await remove(app, id, theirs)).statusCode).toBe(404);
    expect((await get(app, '/strings', theirs)).json().strings).toEqual([]);
    expect((await get(app, '/strings', alsoMine)).json().strings).toHaveLength(1);
  });

  it('keeps the idempotent reply of one customer when another tries to delete its string', async () => {
    const app = await startTestApp({ environment: { REQUIRE_API_KEY: 'strings' } });
    const key = async () => ({
      'x-api-key': (await app.apiKeys.create({ kind: 'live', clientCredentials: false })).apiKey,
    });
    const [mine, theirs] = [await key(), await key()];
    const create = () => post(app, { value: 'v' }, { ...mine, 'idempotency-key': 'order-1' });
    const { id } = (await create()).json();
    expect((await remove(app, id, theirs)).statusCode).toBe(404);
    expect((await create()).json().id).toBe(id);
  });

  it('refuses a development key in production', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.dispose());
    const environment = { REQUIRE_API_KEY: 'strings', MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    const development = await startTestApp({ database, environment });
    const { apiKey } = await development.apiKeys.create({ kind: 'development', clientCredentials: false });
    expect((await get(development, '/strings', { 'x-api-key': apiKey })).statusCode).toBe(200);
    await development.close();
    const production = await startTestApp({ database, environment: { ...environment, NODE_ENV: 'production' } });
    expect((await get(production, '/strings', { 'x-api-key': apiKey })).statusCode).toBe(401);
  });

  it('refuses a revoked key from the next request on', async () => {
    const app = await startTestApp({ environment: { REQUIRE_API_KEY: 'strings' } });
    const { apiKey, record } = await app.apiKeys.create({ kind: 'live', clientCredentials: false });
    expect((await get(app, '/strings', { 'x-api-key': apiKey })).statusCode).toBe(200);
    await app.apiKeys.revoke(record.id);
    expect((await get(app, '/strings', { 'x-api-key': apiKey })).statusCode).toBe(401);
  });
});

describe('404', () => {
  it.each([
    ['an unknown id', UNKNOWN_ID],
    ['a malformed id', 'abc'],
    ['NUL', '%00'],
    ['SQL', "'; drop table strings; --"],
    ['an encoded path', '%2e%2e%2fhealth'],
    ['something very long', 'a'.repeat(5_000)],
  ])('finds nothing for %s', async (_name, id) => {
    const app = await startTestApp();
    expect((await get(app, `/strings/${encodeURI(id)}`)).statusCode).toBe(404);
    expect((await remove(app, encodeURI(id))).statusCode).toBe(404);
  });
});

describe('422', () => {
  it('refuses an Idempotency-Key that was used with another body, and keeps the first record', async () => {
    const app = await startTestApp();
    const headers = { 'idempotency-key': 'k' };
    const first = (await post(app, { value: 'one' }, headers)).json();
    const reply = await post(app, { value: 'two' }, headers);
    expect(reply.statusCode).toBe(422);
    expect(reply.headers['x-error-code']).toBe('idempotency_key_reused');
    expect((await get(app, '/strings')).json().strings).toEqual([first]);
  });
});

describe('429', () => {
  it('limits each address, with headers that state how long to wait', async () => {
    const app = await startTestApp({ environment: { RATE_LIMIT: 'address=1:2' } });
    expect((await get(app, '/strings')).headers['ratelimit-remaining']).toBe('1');
    expect((await get(app, '/strings')).statusCode).toBe(200);
    const refused = await get(app, '/strings');
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBe(1);
    expect(refused.headers['ratelimit-limit']).toBe('2');
    expect(refused.json().message).toBe('Too many requests; try again in 1 s.');
  });

  it('does not count probes and pages', async () => {
    const app = await startTestApp({ environment: { RATE_LIMIT: 'address=1:100' } });
    await vi.waitFor(async () => expect((await get(app, '/ready')).statusCode).toBe(200), PATIENCE);
    // Compares a counted reply's headers. A refusal would be too late, because time refills the
    // limit.
    const counted = async (path: string) => (await get(app, path)).headers['ratelimit-limit'] === '100';
    for (const path of ['/health', '/ready', '/metrics', '/', '/docs', '/docs/errors', '/openapi.json']) {
      expect(await counted(path), path).toBe(false);
    }
    for (const path of ['/strings', '/nothing/here']) expect(await counted(path), path).toBe(true);
  });

  it('counts the address that a trusted proxy names, and no other', async () => {
    const limited = (trust: string) => startTestApp({ environment: { RATE_LIMIT: 'address=1:1', TRUST_PROXY: trust } });
    const from = (app: TestApp, address: string) => get(app, '/strings', { 'x-forwarded-for': address });
    const behindProxy = await limited('127.0.0.1');
    expect((await from(behindProxy, '203.0.113.1')).statusCode).toBe(200);
    expect((await from(behindProxy, '203.0.113.2')).statusCode).toBe(200);
    expect((await from(behindProxy, '203.0.113.1')).statusCode).toBe(429);
    const inTheOpen = await limited('false');
    expect((await from(inTheOpen, '203.0.113.1')).statusCode).toBe(200);
    expect((await from(inTheOpen, '203.0.113.2')).statusCode).toBe(429);
  });

  it('limits each key separately', async () => {
    const app = await startTestApp({ environment: { RATE_LIMIT: 'key=1:1', REQUIRE_API_KEY: 'strings' } });
    const [one, two] = await Promise.all(
      [1, 2].map(async () => ({
        'x-api-key': (await app.apiKeys.create({ kind: 'live', clientCredentials: false })).apiKey,
      })),
    );
    expect((await get(app, '/strings', one)).statusCode).toBe(200);
    expect((await get(app, '/strings', one)).statusCode).toBe(429);
    expect((await get(app, '/strings', two)).statusCode).toBe(200);
  });
});

describe('507', () => {
  it('refuses what exceeds MAX_STRINGS under concurrency, and recovers after a delete', async () => {
    const app = await startTestApp({ environment: { MAX_STRINGS: '3' } });
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(app, { value: 'v' })));
    const created = replies.filter((reply) => reply.statusCode === 201);
    expect(created).toHaveLength(3);
    const refused = replies.find((reply) => reply.statusCode === 507);
    expect(refused?.json()).toMatchObject({
      error: 'Insufficient Storage',
      message: 'The store is full at 3 strings; delete some strings first.',
    });
    expect((await remove(app, created[0]?.json().id)).statusCode).toBe(204);
    expect((await post(app, { value: 'v' })).statusCode).toBe(201);
    expect((await post(app, { value: 'v' })).statusCode).toBe(507);
  });

  it('for test keys leaves room for live keys of the same customer', async () => {
    const app = await startTestApp({ environment: { MAX_STRINGS: '1', REQUIRE_API_KEY: 'strings' } });
    const keyOf = async (kind: 'live' | 'test') => ({
      'x-api-key': (await app.apiKeys.create({ kind, customerId: 'acme', clientCredentials: false })).apiKey,
    });
    const [live, test] = [await keyOf('live'), await keyOf('test')];
    const add = async (headers: Record<string, string>) => (await post(app, { value: 'v' }, headers)).statusCode;
    expect([await add(test), await add(test), await add(live), await add(live)]).toEqual([201, 507, 201, 507]);
  });
});
