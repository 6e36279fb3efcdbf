// Fuzzing: the biometric node always answers in its own format and keeps working.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { featureOf, KEY_CHECK, NODE_CALLS, type NodeClient, newCustomer, postTo } from '#testing/faces/node-client.ts';
import { faceOf } from '#testing/faces/node-faces.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const ALLOWED = [200, 400, 403, 413, 422];
/** Every status number that these replies may carry. */
const STATUSES = [0, -1, -2, 152, 153, 200, 400, 403, 413, 422];
const VECTOR = faceOf(1);

let app: TestApp;
let dispose: () => Promise<void>;
let client: NodeClient;

beforeAll(async () => {
  const environment = { SERVE: 'node', NODE_RATE_BURST: '1000000', NODE_STRANGER_RATE_BURST: '1000000' };
  app = await startTestApp({ environment, atEnd: (end) => (dispose = end) });
  client = await newCustomer(app);
  await client.enroll([VECTOR]);
  await client.plainEnroll(VECTOR);
});
afterAll(async () => {
  expect(app.logged()).not.toMatch(/a request failed|an attempt of a job failed/);
  await dispose();
});

function expectProperReply(reply: LightMyRequestResponse): void {
  const body = reply.json();
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(typeof body.message).toBe('string');
  if (reply.statusCode === 500) {
    // The only 500 in the specification.
    expect(body).toEqual({ status: -2, message: 'Missing PUID.' });
  } else {
    expect(ALLOWED).toContain(reply.statusCode);
    expect(STATUSES).toContain(body.status);
    if (reply.statusCode !== 200) expect(Object.keys(body)).toEqual(['status', 'message']);
  }
}

async function expectStillWorking(): Promise<void> {
  expect((await client.predict([VECTOR])).json()).toMatchObject({ status: 0, score: 1 });
  expect((await client.plainPredict(VECTOR)).json()).toMatchObject({ status: 0, score: 1 });
}

const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, 1e308, -1e308, 5e-324));
const vector = fc.oneof(
  fc.array(number, { minLength: 126, maxLength: 130 }),
  fc.array(number, { minLength: 510, maxLength: 514 }),
  fc.array(fc.oneof({ weight: 50, arbitrary: number }, fc.jsonValue()), { minLength: 128, maxLength: 128 }),
  fc.constant(VECTOR),
);
const feature = fc.oneof(
  vector.map((numbers) => ({ type: 'face', embedding_vector: numbers })),
  fc.record({ embedding_vector: fc.oneof(vector, fc.jsonValue()), type: fc.jsonValue() }, { requiredKeys: [] }),
  fc.jsonValue(),
);
const sealedFeatures = fc.oneof(
  fc.array(feature, { maxLength: 3 }).map((inside) => sealedLater(JSON.stringify(inside))),
  vector.map((numbers) => sealedLater(JSON.stringify([{ embedding_vector: numbers }]))),
  fc.jsonValue().map((inside) => sealedLater(JSON.stringify(inside))),
  fc.string().map((text) => sealedLater(text)),
);
/** Mostly valid, so that the other fields are reached. */
const field = <T>(likely: fc.Arbitrary<T>) => fc.oneof({ weight: 9, arbitrary: likely }, fc.jsonValue());
const name = fc.string({ minLength: 1, maxLength: 260 });
const body = fc.record(
  {
    api_key: field(fc.string()),
    features: feature,
    puid: fc.oneof(
      fc.jsonValue(),
      fc.uuid(),
      fc.uuid().map((id) => sealedLater(id, 'puid')),
    ),
    K: field(fc.integer({ min: 0, max: 101 })),
    version: field(fc.stringMatching(/^[A-Z0-9_]{1,3}$/)),
    metadata: field(fc.record({ id: field(name) })),
    user_identifier: field(name),
  },
  { requiredKeys: [] },
);
const headers = fc.record(
  {
    'x-encryption-version': fc.constantFrom('1', '1', '1', '2', ''),
    'x-encoding': fc.constantFrom('rot13', 'rot13', 'rot13', 'x'),
    'x-correlation-id': fc.string({ unit: 'grapheme-ascii' }),
    'idempotency-key': fc.stringMatching(/^[a-c]$/),
  },
  { requiredKeys: [] },
);

/** The key is created after these arbitraries are defined. */
function sealedLater(text: string, fieldName = 'features') {
  return { toJSON: () => client.seal(fieldName, text) };
}

it('answers in its own format to any value in any field', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NODE_CALLS, KEY_CHECK),
      body,
      fc.option(sealedFeatures, { freq: 4 }),
      headers,
      fc.integer({ min: 0, max: 6 }),
      async (path, given, sealed, sent, keyPlace) => {
        // Mostly valid format and key, so that the checks after them are reached.
        const wantsSealed = !path.startsWith('/node/plain') && sealed !== null;
        const { api_key: _, ...rest } = { ...given, ...(wantsSealed && { features: sealed }) };
        const content = keyPlace === 0 ? given : keyPlace === 1 ? { ...rest, api_key: client.apiKey } : rest;
        const key = keyPlace >= 2 ? { 'x-api-key': client.apiKey } : {};
        expectProperReply(await postTo(app, path, content, { ...sent, ...key } as Record<string, string>));
      },
    ),
    { numRuns: onlyWhenLong(20_000, 150) },
  );
  await expectStillWorking();
});

it('answers in its own format to bodies with changed, missing or inserted letters', async () => {
  const bodies = () => [
    JSON.stringify({ features: featureOf(VECTOR), K: 3, version: 'FACE3_3', user_identifier: 'x' }),
    JSON.stringify({ features: featureOf(VECTOR), metadata: { id: 'x' } }),
    JSON.stringify({ features: client.seal('features', JSON.stringify([featureOf(VECTOR)])), K: 1 }),
    JSON.stringify({ api_key: client.apiKey, puid: client.seal('puid', '01900000-0000-4000-8000-000000000000') }),
  ];
  /** Half of the mutations insert a digit, which mostly keeps it valid JSON. */
  const change = fc.record({
    at: fc.nat(5_000),
    remove: fc.constantFrom(0, 0, 0, 1, 3),
    insert: fc.oneof(
      fc.constantFrom('0', '7', '99', '00000000'),
      fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '-', 'e9', '\u0000', '\ud800', 'null', '__proto__'),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NODE_CALLS, KEY_CHECK),
      fc.nat(3),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (path, which, changes) => {
        let text = bodies()[which]!;
        for (const { at, remove, insert } of changes) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + insert + text.slice(place + remove);
        }
        expectProperReply(await client.post(path, text));
      },
    ),
    { numRuns: onlyWhenLong(20_000, 150) },
  );
  await expectStillWorking();
});
