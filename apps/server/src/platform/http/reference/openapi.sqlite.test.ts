// The reference against the service: every operation in it is called in every way that a client gets wrong.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { listOperations } from './api-reference.ts';

interface Operation {
  requestBody?: { required?: boolean; content: Record<string, { schema: { required?: string[] } }> };
  responses: Record<string, unknown>;
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
}

async function call([name, method, url, { responses }]: (typeof operations)[number], told: Told, withKey = true) {
  const headers = { ...(withKey && { 'x-api-key': apiKey }), ...told.headers };
  const { payload } = told;
  const reply = await app.http.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
  const { statusCode } = reply;
  if (reply.headers['content-type']?.toString().startsWith('application/json')) {
    expect(`${name}: ${reply.body.slice(-2)}`).toMatch(/\}\n$/);
    expect(Number(reply.headers['content-length'] ?? Buffer.byteLength(reply.body))).toBe(
      Buffer.byteLength(reply.body),
    );
  }
  return { statusCode, listed: statusCode in responses };
}

/** Streams never end by themselves. */
const answersAtOnce = ([name]: (typeof operations)[number]) => !name.endsWith('/updates');
const takesBody = (operation: (typeof operations)[number]) => operation[3].requestBody !== undefined;
const takesJson = (operation: (typeof operations)[number]) =>
  operation[3].requestBody?.content['application/json'] !== undefined;

async function unlisted(chosen: typeof operations, told: Told, withKey = true): Promise<string[]> {
  const found: string[] = [];
  for (const operation of chosen) {
    const { statusCode, listed } = await call(operation, told, withKey);
    if (!listed) found.push(`${operation[0]}: ${statusCode}`);
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
