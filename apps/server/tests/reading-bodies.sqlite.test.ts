// Rules for bodies and queries in every area: null, aliases, unknown fields, idempotency and
// numbers.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const D = '/v2/verification-session';
const SUBJECTS = '/v2/screening/subjects';
const CALLBACK = { url: 'http://127.0.0.1:1/hook' };
const ENROLL = { type: 'ENROLL', redirectURL: 'https://shop.example/', callback: CALLBACK };
const VECTOR = Array.from({ length: 128 }, (_, at) => Math.sin(at * at));

let app: TestApp;
let apiKey: string;
let dispose: () => Promise<void>;
beforeAll(async () => {
  app = await startTestApp({ atEnd: (end) => (dispose = end) });
  ({ apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false }));
});
afterAll(() => dispose());

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers };
  const reply = await app.http.inject({ method: 'POST', url, headers: sent, payload });
  return { status: reply.statusCode, text: reply.body, body: reply.json() };
}
const get = async (url: string) => {
  const reply = await app.http.inject({ url, headers: { 'x-api-key': apiKey } });
  return { status: reply.statusCode, body: reply.json() };
};

describe('null', () => {
  it.each([
    ['/session', { ageThreshold: null, callback: { ...CALLBACK, headers: null }, requirements: null, metadata: null }],
    [D, { ...ENROLL, locale: null, deviceInfo: { os: null }, sessionExpiry: null, debugMode: null, contact: null }],
    [SUBJECTS, { reference: 'null-1', name: 'Maria Beispiel', birthDate: null, callback: null, identifiers: null }],
  ])('of an optional field counts as left out: %s', async (url, body) => {
    const reply = await post(url, body);
    expect([reply.status, reply.body]).toEqual([201, expect.not.objectContaining({ warnings: expect.anything() })]);
  });

  it('counts as left out in screening, on the biometric node and in a file of subjects', async () => {
    const subject = { name: 'Maria Beispiel', birthDate: null, aliases: null };
    const matched = await post('/v2/screening/match', { dataset: null, limit: null, subjects: [subject] });
    expect(matched).toMatchObject({ status: 200, body: { dataset: 'default' } });
    const features = { type: null, embedding_vector: VECTOR };
    const enrolled = await post('/node/plainEnroll', {
      api_key: null,
      version: null,
      features,
      metadata: { id: null },
    });
    expect(enrolled).toMatchObject({ status: 200, body: { status: 0 } });
    expect((await post('/node/plainPredict', { features, K: null, user_identifier: null })).body.status).toBe(0);
    const line = JSON.stringify({ reference: 'null-2', name: 'Maria Beispiel', birthDate: null, dataset: null });
    const imported = await post(`${SUBJECTS}/import`, line, { 'content-type': 'application/x-ndjson' });
    expect(imported.body).toMatchObject({ added: 1, refused: 0 });
  });

  it('of a required field counts as a missing field', async () => {
    expect((await post('/strings', { value: null })).body.details).toEqual([
      { path: 'body.value', message: 'is required' },
    ]);
    expect((await post(D, { ...ENROLL, callback: null })).body.message).toBe('body.callback is required');
  });

  it('inside metadata is kept, and inside a list or among header values is refused', async () => {
    const { body } = await post('/session', '{"metadata":{"a":null}}');
    expect((await get(`/session/${body.token}/result`)).body.metadata).toEqual({ a: null });
    expect((await post('/session', { requirements: [null] })).status).toBe(400);
    expect((await post('/session', { callback: { ...CALLBACK, headers: { 'x-shop': null } } })).status).toBe(400);
  });
});

describe('an alias of a field', () => {
  const transactionIdOf = async ({ body }: { body: { sessionId: string } }) => {
    await post(`${D}/${body.sessionId}/simulate`, { outcome: 'success' });
    return (await get(`${D}/${body.sessionId}/result`)).body.transactionId;
  };

  it('is accepted in verification sessions', async () => {
    const { redirectURL, ...others } = ENROLL;
    const created = await post(D, { ...others, redirectUrl: redirectURL, transactionId: 'order-7' });
    expect(created.status).toBe(201);
    expect(created.body).not.toHaveProperty('warnings');
    expect(await transactionIdOf(created)).toBe('order-7');
  });

  it('is accepted in age sessions, and validated like the field itself', async () => {
    expect((await post('/session', { redirectURL: 'https://shop.example/' })).body).not.toHaveProperty('warnings');
    const refused = await post('/session', { redirectURL: 'javascript:alert(1)' });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, 'body.redirectUrl']);
  });

  it.each([
    [
      '/session',
      { redirectUrl: 'https://a.example/', redirectURL: 'https://b.example/' },
      'redirectUrl',
      'redirectURL',
    ],
    [D, { ...ENROLL, redirectUrl: 'https://b.example/' }, 'redirectURL', 'redirectUrl'],
    [D, { ...ENROLL, transactionID: 'a', transactionId: 'b' }, 'transactionID', 'transactionId'],
  ])('with another value is refused, and both are named: %s %#', async (url, body, own, alias) => {
    const refused = await post(url, body);
    expect([refused.status, refused.body.details[0].path]).toEqual([400, `body.${own}`]);
    expect(refused.body.message).toContain(`body.${alias}`);
  });

  it('with the same value, or next to null, is accepted', async () => {
    const same = { ...ENROLL, redirectUrl: ENROLL.redirectURL, transactionID: 'a', transactionId: 'a' };
    expect(await transactionIdOf(await post(D, same))).toBe('a');
    expect(await transactionIdOf(await post(D, { ...ENROLL, transactionID: null, transactionId: 'b' }))).toBe('b');
    expect(await transactionIdOf(await post(D, { ...ENROLL, transactionID: 'c', transactionId: null }))).toBe('c');
  });
});

describe('an unknown field', () => {
  const ignored = (meant?: string) =>
    `is not a known field and was ignored${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;

  it.each([
    ['/session', { ageTreshold: 21 }, [{ path: 'body.ageTreshold', message: ignored('ageThreshold') }]],
    ['/strings', { value: 'a', colour: 1 }, [{ path: 'body.colour', message: ignored() }]],
    [
      D,
      { ...ENROLL, callback: { ...CALLBACK, hedaers: {} }, sendimage: true },
      [
        { path: 'body.sendimage', message: ignored('sendImages') },
        { path: 'body.callback.hedaers', message: ignored('headers') },
      ],
    ],
    [
      SUBJECTS,
      {
        reference: 'w-1',
        name: 'Maria Beispiel',
        dateOfBirth: '1970',
        identifiers: [{ value: 'P1234567', issuer: 1 }],
      },
      [
        { path: 'body.dateOfBirth', message: ignored('birthDate') },
        { path: 'body.identifiers.0.issuer', message: ignored() },
      ],
    ],
  ])('is ignored with a warning in a creating request: %s', async (url, body, warnings) => {
    const reply = await post(url, body);
    expect([reply.status, reply.body.warnings]).toEqual([201, expect.arrayContaining(warnings)]);
  });

  it('is named at most ten times, in 80 visible characters, without its value, and without a suggestion if long', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`unknown${at}`, 'secret-value']));
    const some = (await post('/session', many)).body.warnings;
    expect(some).toHaveLength(10);
    expect(JSON.stringify(some)).not.toContain('secret-value');
    const odd = { [`ageThreshold${'d'.repeat(29)}`]: 1, ['x'.repeat(500)]: 1, 'a\u202e\u0000\n🍷b': 1 };
    const [long, longest, invisible] = (await post('/session', odd)).body.warnings;
    expect(long.message).toBe(ignored());
    expect([...longest.path]).toHaveLength(80);
    expect(longest.path).toMatch(/^body\.x+…$/);
    expect(invisible.path).toBe('body.a???🍷b');
  });

  it('does not exist in metadata, callback headers or deviceInfo', async () => {
    const free = { metadata: { ageTreshold: 1 }, callback: { ...CALLBACK, headers: { 'x-any': 'a' } } };
    expect((await post('/session', free)).body).not.toHaveProperty('warnings');
    const device = { ...ENROLL, deviceInfo: { os: 'x', browser: 'y' } };
    expect((await post(D, device)).body).not.toHaveProperty('warnings');
  });

  it('is ignored without a warning by the biometric node', async () => {
    const { body } = await post('/node/plainEnroll', { features: { embedding_vector: VECTOR }, metadta: 1 });
    expect(body).not.toHaveProperty('warnings');
  });

  it.each([
    ['/session', { ageTreshold: 21 }, 'body.ageTreshold'],
    ['/strings', { value: 'a', colour: 1 }, 'body.colour'],
    [D, { ...ENROLL, sendimage: true }, 'body.sendimage'],
    ['/v2/screening/match', { subjects: [{ name: 'Maria Beispiel', dob: '1970' }] }, 'body.subjects.0.dob'],
  ])('is refused for a client that prefers strict handling: %s', async (url, body, path) => {
    for (const prefer of ['handling=strict', 'wait=5, Handling="strict"; x=y']) {
      const refused = await post(url, body, { prefer });
      expect([refused.status, refused.body.details[0].path]).toEqual([400, path]);
    }
    for (const prefer of ['handling=lenient', 'handling=strictly', 'x="handling=strict"']) {
      expect((await post(url, body, { prefer })).status).toBeLessThan(300);
    }
  });

  it('is mentioned if a required field is missing', async () => {
    const { callback, ...others } = ENROLL;
    const refused = await post(D, { ...others, calback: callback });
    expect(refused.body.message).toBe('body.callback is required (is body.calback meant for it?)');
  });
});

describe('an Idempotency-Key with the same known fields returns the first reply', () => {
  const twice = async (url: string, first: unknown, second: unknown) => {
    const key = { 'idempotency-key': randomUUID() };
    const replies = [await post(url, first, key), await post(url, second, key)];
    return { again: replies[0]!.text === replies[1]!.text, statuses: replies.map(({ status }) => status), replies };
  };
  const reversed = (body: object) => Object.fromEntries(Object.entries(body).reverse());
  const subject = { reference: 'i-1', name: 'Maria Beispiel', countries: ['at'], callback: CALLBACK };
  const plain = { features: { embedding_vector: VECTOR }, metadata: { id: 'a' } };

  it.each([
    ['/strings', { value: 'i' }, { note: 1, value: 'i' }],
    ['/session', { ageThreshold: 20, locale: 'en' }, { locale: 'en', ageThreshold: 20.0, shoe: 44, light: null }],
    ['/session', { redirectUrl: 'https://a.example/' }, { redirectURL: 'https://a.example/' }],
    [D, { ...ENROLL, deviceInfo: { os: 'a' } }, reversed({ ...ENROLL, deviceInfo: { browser: 1, os: 'a' }, x: 1 })],
    [SUBJECTS, subject, reversed({ ...subject, scoreThreshold: 0.95, shoe: 44 })],
    ['/node/plainEnroll', plain, reversed({ ...plain, version: 'FACE3_3', shoe: 44 })],
  ])('for %s %#', async (url, first, second) => {
    const { again, statuses } = await twice(url, first, second);
    expect([again, statuses[0]]).toEqual([true, statuses[1]]);
    expect(statuses[0]).toBeLessThan(300);
  });

  it('with its warnings, even if the repetition has other unknown fields', async () => {
    const { again, replies } = await twice('/session', { ageTreshold: 21 }, {});
    expect(again).toBe(true);
    expect(replies[1]!.body.warnings).toHaveLength(1);
  });

  it.each([
    ['/strings', { value: 'i' }, { value: 'j' }],
    ['/session', '{"metadata":{"price":1.10}}', '{"metadata":{"price":1.1}}'],
    ['/session', '{"metadata":{"a":1,"b":2}}', '{"metadata":{"b":2,"a":1}}'],
    ['/session', { metadata: {} }, {}],
    [D, { ...ENROLL, callback: { ...CALLBACK, headers: { a: 'b' } } }, ENROLL],
    [SUBJECTS, subject, { ...subject, name: 'Maria Muster' }],
    ['/node/plainEnroll', plain, { ...plain, features: { ...plain.features, type: 'x' } }],
  ])('but not with other fields: %s %#', async (url, first, second) => {
    expect((await twice(url, first, second)).statuses[1]).toBe(422);
  });
});

describe('a number in a query', () => {
  const bad = ['0x10', '1e1', '%201', '1%20', '+5', '%2B5', '-5', '5.0', '05', '', '99999999999', '5&limit=5'];

  it.each(['/strings', '/v2/webhook-deliveries', SUBJECTS, '/v2/screening/alerts'])(
    'is plain digits: %s',
    async (url) => {
      expect((await get(`${url}?limit=5`)).status).toBe(200);
      for (const text of bad) {
        const { status, body } = await get(`${url}?limit=${text}`);
        expect([text, status, body.details[0].path]).toEqual([text, 400, 'query.limit']);
      }
      expect((await get(`${url}?limit=0x2`)).body.message).toMatch(/plain digits/);
    },
  );

  it("is plain digits for clients of yente, with yente's error format", async () => {
    expect((await get('/yente/search/demo?limit=1&offset=0')).status).toBe(200);
    for (const name of ['limit', 'offset']) {
      for (const text of ['0x2', '+1', '-1', '1e0', '1.0']) {
        const { status, body } = await get(`/yente/search/demo?${name}=${text}`);
        expect([status, body.detail[0].loc]).toEqual([422, ['query', name]]);
      }
    }
    const match = (query: string) =>
      post(`/yente/match/demo?${query}`, { queries: { q: { schema: 'Person', properties: { name: ['x'] } } } });
    for (const text of ['.7', '0.7', '1.0']) expect((await match(`threshold=${text}`)).status).toBe(200);
    for (const text of ['7e-1', '+.7', '0x1', '-0']) expect((await match(`threshold=${text}`)).status).toBe(422);
  });

  it('has at most one decimal point where fractions are allowed', async () => {
    const csv = { 'content-type': 'text/csv' };
    const send = (text: string) => post(`${SUBJECTS}/import?scoreThreshold=${text}`, 'reference,name\n', csv);
    for (const text of ['.95', '1.0', '0']) expect((await send(text)).status).toBe(200);
    for (const text of ['9e-1', '+.9', '0x1', '.9.', '']) expect((await send(text)).status).toBe(400);
  });
});

describe('headers of a body', () => {
  it.each(['gzip', 'br', 'identity, gzip', 'x-own'])('with the content coding %s are refused', async (coding) => {
    const refused = await post('/session', '{}', { 'content-encoding': coding });
    expect([refused.status, refused.body.message]).toEqual([415, expect.stringContaining('without Content-Encoding')]);
    expect((await post('/node/plainPredict', '{}', { 'content-encoding': coding })).body.status).toBe(415);
  });

  it.each(['identity', '', 'Identity'])('with the content coding %j are accepted', async (coding) => {
    expect((await post('/session', '{}', { 'content-encoding': coding })).status).toBe(201);
  });

  it('count as absent if empty', async () => {
    const { token } = (await post('/session', {})).body;
    const result = await app.http.inject({ url: `/session/${token}/result`, headers: { 'x-api-key': '' } });
    expect(result.statusCode).toBe(200);
    const features = await post('/node/predict', {}, { 'x-encryption-version': '' });
    expect(features.body.message).toBe('Prediction Failed Features not provided.');
  });

  it('leave an end date without a time invalid, with an explanation', async () => {
    expect((await post(D, { ...ENROLL, sessionExpiry: '2026-03-01' })).body.message).toMatch(/must have a time of day/);
  });

  it.each(['https://u:p@shop.example/', 'https://u@shop.example/'])('carry no credentials in %s', async (url) => {
    expect((await post('/session', { redirectUrl: url })).status).toBe(400);
    expect((await post('/session', { callback: { url } })).status).toBe(400);
    expect((await post(D, { ...ENROLL, redirectURL: url })).status).toBe(400);
    expect((await post(D, { ...ENROLL, callback: { url } })).status).toBe(400);
  });

  it('of a callback are named if one is not text', async () => {
    const refused = await post('/session', { callback: { ...CALLBACK, headers: { 'x-shop': 5 } } });
    expect([refused.status, refused.body.message]).toEqual([400, 'body.callback.headers.x-shop must be a string']);
  });
});
