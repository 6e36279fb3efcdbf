// The reference against the service: every operation in it is called in every way that a client gets wrong.
import { listWebhookBodies } from '@limen/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { listOperations } from './operations.ts';

interface Operation {
  requestBody?: { required?: boolean; content: Record<string, { schema: { required?: string[] } }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
  security?: Record<string, string[]>[];
}

let app: TestApp;
let apiKey: string;
let dispose: () => Promise<void>;
let operations: [name: string, method: 'GET' | 'POST' | 'DELETE', path: string, operation: Operation][];

beforeAll(async () => {
  app = await startTestApp({ atEnd: (end) => (dispose = end) });
  ({ apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false }));
  const { paths } = (await app.http.inject('/openapi.json')).json();
  operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): (typeof operations)[number] => [
      `${method.toUpperCase()} ${path}`,
      method.toUpperCase() as 'GET',
      path.replaceAll(/\{(\w+)\}/g, (_, name) => VALUES[name] ?? crypto.randomUUID()),
      operation,
    ]),
  );
});
afterAll(() => dispose());

/** For parts of a path that are no random id. */
const VALUES: Record<string, string> = { version: 'FACE3_1', dataset: 'demo' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Told {
  headers?: Record<string, string>;
  payload?: string;
  /** Instead of the operation's own. */
  url?: string;
}

async function call([name, method, path, { responses }]: (typeof operations)[number], told: Told, withKey = true) {
  const headers = { ...(withKey && { 'x-api-key': apiKey }), ...told.headers };
  const { payload, url = path } = told;
  const reply = await app.http.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
  const { statusCode } = reply;
  if (reply.headers['content-type']?.toString().startsWith('application/json')) {
    expect(`${name}: ${reply.body.slice(-2)}`).toMatch(/\}\n$/);
    expect(Number(reply.headers['content-length'] ?? Buffer.byteLength(reply.body))).toBe(
      Buffer.byteLength(reply.body),
    );
  }
  const type = reply.headers['content-type']?.toString().split(';')[0];
  const listed = type === undefined || type in (responses[statusCode]?.content ?? {});
  return { statusCode, type, listed: statusCode in responses && listed };
}

/** Streams never end by themselves. */
const answersAtOnce = ([name]: (typeof operations)[number]) => !name.endsWith('/updates');
const takesBody = (operation: (typeof operations)[number]) => operation[3].requestBody !== undefined;
const takesJson = (operation: (typeof operations)[number]) =>
  operation[3].requestBody?.content['application/json'] !== undefined;

async function unlisted(chosen: typeof operations, told: Told, withKey = true): Promise<string[]> {
  const found: string[] = [];
  for (const operation of chosen) {
    const { statusCode, type, listed } = await call(operation, told, withKey);
    if (!listed) found.push(`${operation[0]}: ${statusCode} as ${type ?? 'nothing'}`);
  }
  return found;
}

describe('every answer is in the reference, and ends its line', () => {
  it.each<[string, Told, boolean]>([
    ['nothing but the key', {}, true],
    ['no key', {}, false],
    ['an unknown key', { headers: { 'x-api-key': 'limen_test_unknown' } }, false],
    ['an empty object', { headers: JSON_TYPE, payload: '{}' }, true],
    [
      'an idempotency key that is too long',
      { headers: { ...JSON_TYPE, 'idempotency-key': 'x'.repeat(300) }, payload: '{}' },
      true,
    ],
  ])('to %s', async (_name, told, withKey) => {
    expect(await unlisted(operations.filter(answersAtOnce), told, withKey)).toEqual([]);
  });

  it.each<[string, Told]>([
    ['broken JSON', { headers: JSON_TYPE, payload: '{' }],
    ['text', { headers: { 'content-type': 'text/plain' }, payload: 'hello' }],
    ['far too much', { headers: JSON_TYPE, payload: `"${'x'.repeat(3 * 1024 * 1024)}"` }],
  ])('to a body that is %s', async (_name, told) => {
    expect(await unlisted(operations.filter(takesBody), told)).toEqual([]);
  });

  it.each<[string, Told]>([
    ['broken JSON', { headers: JSON_TYPE, payload: '{' }],
    ['text', { headers: { 'content-type': 'text/plain' }, payload: 'hello' }],
    ['far too much', { headers: JSON_TYPE, payload: `"${'x'.repeat(3 * 1024 * 1024)}"` }],
  ])('to %s, where no body is expected', async (_name, told) => {
    const bare = operations.filter((operation) => operation[1] === 'POST' && !takesBody(operation));
    expect(bare.map(([name]) => name)).toContain('POST /v2/verification-session/{sessionId}/trust-device');
    expect(await unlisted(bare, told)).toEqual([]);
  });

  it('to a path that is not well encoded', async () => {
    const found: string[] = [];
    for (const operation of operations.filter(([name]) => name.includes('{'))) {
      const url = operation[0].split(' ')[1]!.replaceAll(/\{\w+\}/g, '%zz');
      const { statusCode, listed } = await call(operation, { url });
      if (statusCode !== 400 || !listed) found.push(`${operation[0]}: ${statusCode}`);
    }
    expect(found).toEqual([]);
  });

  it.each([
    ['a page', { accept: 'text/html', 'sec-fetch-mode': 'navigate' }],
    ['a signed reply', { accept: 'application/jwt' }],
  ])('to who asks for %s', async (_name, headers) => {
    const read = operations.filter(([, method]) => method === 'GET').filter(answersAtOnce);
    expect(await unlisted(read, { headers })).toEqual([]);
  });

  it('to who may not read the metrics', async () => {
    const metrics = operations.find(([name]) => name === 'GET /metrics')!;
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect(await call(metrics, { headers })).toMatchObject({ statusCode: 403, listed: true });
  });
});

/** The rules of Redocly's `recommended` set that a route can break. */
describe('the document', () => {
  it('says of every operation and webhook who may call it, and has a name for it', async () => {
    const { paths, webhooks, info } = (await app.http.inject('/openapi.json')).json();
    expect(info.license).toMatchObject({ name: expect.any(String), identifier: 'Apache-2.0' });
    const all = [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { operationId?: string; security?: unknown; summary?: string }>).map(
        ([method, { operationId, security, summary }]) => ({
          name: `${method} ${path}`,
          operationId,
          security,
          summary,
        }),
      ),
    );
    const ids = all.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(all.length);
    for (const { name, operationId, security, summary } of all) {
      expect([name, operationId, security, summary]).toEqual([
        name,
        expect.stringMatching(/^[a-z]\w+$/i),
        expect.any(Array),
        expect.stringMatching(/./),
      ]);
    }
  });

  it('documents a refusal, a failure, and a success of every operation', () => {
    const kinds = operations.map(([name, , , { responses }]) => [
      name,
      ...['2', '4', '5'].map((digit) => Object.keys(responses).some((status) => status.startsWith(digit))),
    ]);
    expect(kinds).toEqual(operations.map(([name]) => [name, true, true, true]));
  });

  it.each([
    ['GET /strings/{id}', 'ErrorReply'],
    ['GET /health', 'ErrorReply'],
    ['POST /node/enroll', 'NodeStatusReply'],
    ['GET /yente/healthz', 'YenteError'],
  ])('gives any other refusal of %s the form %s', async (name, form) => {
    const { components } = (await app.http.inject('/openapi.json')).json();
    const { responses } = operations.find(([operation]) => operation === name)![3];
    for (const range of ['4XX', '5XX']) {
      expect(responses[range]).toEqual({ $ref: `#/components/responses/${range}${form}` });
      const { schema } = components.responses[`${range}${form}`].content['application/json'];
      expect(schema).toEqual({ $ref: `#/components/schemas/${form}` });
    }
  });

  it('refers to nothing that is not there', async () => {
    const text = (await app.http.inject('/openapi.json')).body;
    const document = JSON.parse(text);
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      expect([kind, name, document.components[kind!]]).toEqual([
        kind,
        name,
        expect.objectContaining({ [name!]: expect.anything() }),
      ]);
    }
  });
});

describe('a body', () => {
  it('may be left out exactly where the reference says so', async () => {
    const signed = (name: string) => name.includes('/device/');
    const asked: Record<string, boolean> = {};
    const said: Record<string, boolean> = {};
    for (const operation of operations.filter(takesJson)) {
      const [name, , , { requestBody }] = operation;
      if (signed(name)) continue; // refused for want of a signature, with or without one
      said[name] = requestBody?.required === true;
      asked[name] = (await call(operation, {})).statusCode >= 400;
    }
    expect(asked).toEqual(said);
    expect(Object.entries(said).filter(([, required]) => !required)).toEqual([
      ['POST /node/api-key/checkApiKeyValid', false],
      ['POST /session', false],
      ['POST /launch/my-age-key/options', false],
    ]);
  });

  it('is called required where a field of it is', () => {
    for (const [name, , , { requestBody }] of operations.filter(takesJson)) {
      const fields = requestBody?.content['application/json']?.schema.required ?? [];
      expect([name, requestBody?.required]).toEqual([name, fields.length > 0]);
    }
  });

  it.each([413, 415])('that is refused with %i is so in every operation that takes one', (status) => {
    const silent = operations.filter(takesBody).filter(([, , , { responses }]) => !(status in responses));
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});

describe('the sample', () => {
  it('of every request is one that its own schema takes', async () => {
    const document = (await app.http.inject('/openapi.json')).json();
    // Nothing is left out because it is hard to make up: every pattern, bound and form counts.
    const ajv = new Ajv2020({ strict: false, formats: { uri: URL.canParse, uuid: /^[0-9a-f-]{36}$/ } });
    ajv.addSchema(document, 'openapi');
    const samples = listOperations(document).filter(({ sampleBody }) => sampleBody !== undefined);
    const faults = samples.flatMap(({ method, path, sampleBody }) => {
      const place = ['paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
      const pointer = place.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/');
      const fits = ajv.validate({ $ref: `openapi#/${pointer}` }, JSON.parse(sampleBody!));
      return fits ? [] : [`${method} ${path}: ${ajv.errorsText()}`];
    });
    expect(faults).toEqual([]);
    expect(samples.length).toBeGreaterThan(20);
  });

  it('of every webhook body fits its schema and has no unknown field', async () => {
    const document = (await app.http.inject('/openapi.json')).json();
    const dateTime = (text: string) => !Number.isNaN(Date.parse(text));
    const formats = { uri: URL.canParse, uuid: /^[0-9a-f-]{36}$/, 'date-time': dateTime };
    const ajv = new Ajv2020({ strict: false, formats });
    const bodies = listWebhookBodies();
    const { schemas } = document.components;
    for (const schema of Object.values<object>(schemas)) {
      if ('properties' in schema) Object.assign(schema, { additionalProperties: false });
    }
    ajv.addSchema(document, 'openapi');
    for (const { name, sample } of bodies) {
      const fits = ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, sample);
      expect([name, fits, ajv.errors]).toEqual([name, true, null]);
    }
    expect(bodies.length).toBe(7);
  });
});

describe('the schemas with a name', () => {
  it.each(['core', 'node', 'launch'])(
    'are those that %s and its webhooks refer to, however much is served',
    async (part) => {
      const { http } = await startTestApp({ environment: { SERVE: part } });
      const text = (await http.inject('/openapi.json')).body;
      const referred = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
      expect(Object.keys(JSON.parse(text).components.schemas).toSorted()).toEqual([...referred].toSorted());
    },
  );
});
