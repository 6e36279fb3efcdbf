// The biometric node over HTTP: bodies, features, versions and headers that get 400.
import { describe, expect, it } from 'vitest';
import {
  createNodeClient,
  ENCRYPTED_CALLS,
  ENROLL_WITHOUT,
  featureOf,
  KEY_CHECK,
  NODE_CALLS,
  type NodeClient,
  PLAIN_CALLS,
} from '#testing/faces/node-client.ts';
import { faceOf } from '#testing/faces/node-faces.ts';
import { shareNodeApp } from '#testing/faces/shared-app.ts';
import type { TestApp } from '#testing/test-app.ts';

const PREDICT_WITHOUT = { status: -2, message: 'Prediction Failed Features not provided.' };
const FACE = featureOf(faceOf(1));

let app: TestApp;
let client: NodeClient;
shareNodeApp((test) => ({ app, client } = test));

function withoutFeatures(path: string) {
  return /enroll$/i.test(path) ? ENROLL_WITHOUT : PREDICT_WITHOUT;
}

const callsWithFeatures = NODE_CALLS.filter((path) => !path.endsWith('deleteUser'));

describe('400', () => {
  it.each(callsWithFeatures)('answers %s without features', async (path) => {
    for (const body of [{}, { features: null }, { features: '' }, { features: {} }, { features: [] }, 'null', '']) {
      const reply = await client.post(path, body);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual(withoutFeatures(path));
    }
  });

  it.each(PLAIN_CALLS)('answers %s with a null vector, which leaves an empty object', async (path) => {
    const reply = await client.post(path, { features: { embedding_vector: null } });
    expect([reply.statusCode, reply.json()]).toEqual([400, withoutFeatures(path)]);
  });

  it.each(callsWithFeatures.filter((path) => !PLAIN_CALLS.includes(path)))(
    'answers %s with empty features',
    async (path) => {
      for (const text of ['', '[]', '{}', 'null', '""']) {
        const reply = await client.post(path, { features: client.seal('features', text) });
        expect(reply.statusCode).toBe(400);
        expect(reply.json()).toEqual(withoutFeatures(path));
      }
    },
  );

  it.each([...NODE_CALLS, KEY_CHECK])('answers %s with a body that is not JSON: -2', async (path) => {
    for (const text of ['{', '{"features":NaN}', '{"features":[Infinity]}', "{'a':1}", '{"a":1}{', '\ufeff', 'x']) {
      const reply = await client.post(path, text);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: -2, message: expect.stringMatching(/^The body is not usable JSON/) });
    }
    const latin1 = await app.http.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', 'x-api-key': client.apiKey },
      payload: Buffer.from('{"a":"\u00e4"}', 'latin1'),
    });
    expect(latin1.json()).toMatchObject({ status: -2 });
  });

  it.each([...NODE_CALLS, KEY_CHECK])('answers %s with a body that is not an object', async (path) => {
    for (const text of ['[]', '"text"', '5', 'true']) {
      const reply = await client.post(path, text);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: 400, message: 'body must be an object' });
    }
  });

  it.each(ENCRYPTED_CALLS.slice(0, 2))('answers %s with plain features or features that do not open', async (path) => {
    const stranger = createNodeClient(app, 'another key');
    const features = JSON.stringify([FACE]);
    expect((await client.post(path, { features: FACE })).json()).toMatchObject({ status: 400 });
    expect((await client.post(path, { features: [FACE] })).json()).toMatchObject({ status: 400 });
    expect((await client.post(path, { features: 5 })).json()).toMatchObject({ status: 400 });
    for (const sealed of [
      stranger.seal('features', features),
      client.seal('puid', features),
      client.seal('Features', features),
      features,
      'AQ',
      ' ',
    ]) {
      const reply = await client.post(path, { features: sealed });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: -2, message: expect.stringMatching(/^features cannot be decrypted/) });
    }
    for (const text of ['{', 'NaN', '[{"embedding_vector":[NaN]}]']) {
      const reply = await client.post(path, { features: client.seal('features', text) });
      expect([reply.statusCode, reply.json().status]).toEqual([400, -2]);
    }
    for (const text of [JSON.stringify(FACE), '5', '"text"', 'true', '[5]', '[null]', '[[]]', '[{}]']) {
      const reply = await client.post(path, { features: client.seal('features', text) });
      expect([reply.statusCode, reply.json().status]).toEqual([400, 400]);
    }
  });

  it.each(PLAIN_CALLS)('answers %s with malformed features', async (path) => {
    const vector = faceOf(1);
    for (const features of [
      client.seal('features', JSON.stringify([FACE])),
      [FACE],
      5,
      true,
      { type: 'face' },
      { embedding_vector: 'x' },
      { embedding_vector: { ...vector } },
      { embedding_vector: vector.slice(1) },
      { embedding_vector: faceOf(1, { length: 513 }) },
      { embedding_vector: [...vector.slice(1), '0.5'] },
      { embedding_vector: [...vector.slice(1), null] },
      { embedding_vector: vector, type: 5 },
    ]) {
      const reply = await client.post(path, { features });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: 400, message: expect.stringMatching(/^features/) });
    }
  });

  it.each([0, -1, 101, 1.5, '5', true, [], [5], {}, 1e308].map((K) => ({ K })))('answers $K as K', async ({ K }) => {
    for (const reply of [
      await client.predict([faceOf(1)], { body: { K } }),
      await client.plainPredict(faceOf(1), { body: { K } }),
    ]) {
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: 400, message: expect.stringMatching(/^body\.K must be/) });
    }
  });

  it.each([
    'face3_1',
    'FACE3-1',
    'FACE 3',
    '',
    'FACE3_1\n',
    'Ä',
    'A'.repeat(33),
    'A'.repeat(101),
    'A'.repeat(3_000),
    '..',
    'toString',
  ])('answers version %j', async (version) => {
    for (const path of PLAIN_CALLS) {
      const reply = await client.post(path, { features: FACE, version });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: 400, message: expect.stringMatching(/^version must be/) });
    }
    // A path with dots is another path.
    if (version === '..') return;
    for (const path of ENCRYPTED_CALLS) {
      const call = path.replace('/node/', `/node/${encodeURIComponent(version)}/`);
      const reply = await client.post(call, { features: 'x', puid: 'x' });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: 400, message: expect.stringMatching(/^version must be/) });
    }
  });

  it.each([5, {}, true])('answers version %j in the body', async (version) => {
    const reply = await client.post('/node/plainEnroll', { features: FACE, version });
    expect([reply.statusCode, reply.json()]).toEqual([400, { status: 400, message: 'body.version must be a string' }]);
  });

  it.each(['0', '2', '1.0', '01', 'v1', '1, 1'])('answers x-encryption-version %s', async (version) => {
    for (const path of ENCRYPTED_CALLS) {
      const reply = await client.post(path, { features: 'x', puid: 'x' }, { 'x-encryption-version': version });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ status: 400, message: expect.stringMatching(/^x-encryption-version must be 1/) });
    }
    const plain = await client.plainPredict(faceOf(1), { headers: { 'x-encryption-version': version } });
    expect(plain.statusCode).toBe(200);
  });

  it('accepts x-encryption-version 1, and refuses an unknown x-encoding on the plain endpoints', async () => {
    const headers = { 'x-encryption-version': '1' };
    expect((await client.predict([faceOf(1)], { headers })).statusCode).toBe(200);
    for (const path of PLAIN_CALLS) {
      const reply = await client.post(path, { features: FACE }, { 'x-encoding': 'rot14' });
      expect([reply.statusCode, reply.json().status]).toEqual([400, 400]);
    }
  });

  it.each([
    ['metadata as text', { metadata: 'x' }],
    ['an empty id', { metadata: { id: '' } }],
    ['a huge id', { metadata: { id: 'x'.repeat(257) } }],
    ['an id with half of a pair', { metadata: { id: 'a\ud800' } }],
  ])('answers %s on the enrollments', async (_name, body) => {
    for (const reply of [await client.enroll([faceOf(1)], { body }), await client.plainEnroll(faceOf(1), { body })]) {
      expect([reply.statusCode, reply.json().status]).toEqual([400, 400]);
    }
  });

  it.each([5, '', 'x'.repeat(257), ['a'], 'a\ud800'].map((user_identifier) => ({ user_identifier })))(
    '%j',
    async (body) => {
      for (const reply of [
        await client.predict([faceOf(1)], { body }),
        await client.plainPredict(faceOf(1), { body }),
      ]) {
        expect([reply.statusCode, reply.json().status]).toEqual([400, 400]);
      }
    },
  );
});
