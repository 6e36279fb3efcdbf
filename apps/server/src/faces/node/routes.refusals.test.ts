// The biometric node over HTTP: refused keys, deletions, paths and methods.
import { describe, expect, it } from 'vitest';
import {
  createNodeClient,
  ENROLL_WITHOUT,
  featureOf,
  KEY_CHECK,
  NODE_CALLS,
  type NodeClient,
  newCustomer,
  postTo,
} from '#testing/faces/node-client.ts';
import { faceOf } from '#testing/faces/node-faces.ts';
import { shareNodeApp } from '#testing/faces/shared-app.ts';
import type { TestApp } from '#testing/test-app.ts';

const WRONG_KEY = { status: -1, message: 'Failed to check api key' };
const NO_KEY = { status: -1, message: 'Missing api key' };
const DELETE_FAILED = { status: 400, message: 'delete failed' };
const FACE = featureOf(faceOf(1));

let app: TestApp;
let client: NodeClient;
shareNodeApp((test) => ({ app, client } = test));

describe('403 and the order of checks: key, body, features', () => {
  it.each(NODE_CALLS)('refuses %s without a key', async (path) => {
    for (const body of [
      {},
      { api_key: null },
      { api_key: '' },
      { features: FACE, puid: 'x' },
      '',
      'null',
      '[]',
      '5',
      '{',
      '{"api_key":',
    ]) {
      const reply = await postTo(app, path, body);
      expect(reply.statusCode).toBe(403);
      expect(reply.json()).toEqual(WRONG_KEY);
      expect(reply.headers['x-error-code']).toBe('forbidden');
    }
  });

  it.each([...NODE_CALLS, KEY_CHECK])('refuses %s with a wrong, revoked or contradicting key', async (path) => {
    const { apiKey } = client;
    const [revoked, sibling] = [await newCustomer(app), await newCustomer(app, client.keyId)];
    expect((await revoked.post(KEY_CHECK, {})).statusCode).toBe(200);
    await app.apiKeys.revoke(revoked.keyId);
    const attempts: [headers: Record<string, string>, body: unknown][] = [
      [{ 'x-api-key': 'wrong' }, {}],
      [{ 'x-api-key': 'wrong' }, { api_key: apiKey }],
      [{ 'x-api-key': apiKey }, { api_key: 'wrong' }],
      [{ 'x-api-key': apiKey }, { api_key: sibling.apiKey }],
      [{ 'x-api-key': apiKey }, { api_key: `${apiKey} ` }],
      [{ 'x-api-key': `${apiKey}, ${apiKey}` }, {}],
      [{ 'x-api-key': revoked.apiKey }, {}],
      [{}, { api_key: revoked.apiKey }],
      [{}, { api_key: 'wrong' }],
      [{}, { api_key: apiKey.toUpperCase() }],
      [{ 'x-api-key': 'x'.repeat(5_000) }, {}],
    ];
    for (const [headers, body] of attempts) {
      const reply = await postTo(app, path, body, headers);
      expect(reply.statusCode).toBe(403);
      expect(reply.json()).toEqual(WRONG_KEY);
    }
  });

  it.each([...NODE_CALLS, KEY_CHECK])('refuses %s with a key that is not a string', async (path) => {
    for (const api_key of [5, 0, false, true, [client.apiKey], { key: client.apiKey }, []]) {
      for (const headers of [{}, { 'x-api-key': client.apiKey }] as Record<string, string>[]) {
        const reply = await postTo(app, path, { api_key }, headers);
        expect(reply.statusCode).toBe(403);
        expect(reply.json()).toEqual(WRONG_KEY);
      }
    }
  });

  it('refuses a wrong key before a broken body, another media type and a large body', async () => {
    const headers = { 'x-api-key': 'wrong' };
    expect((await postTo(app, '/node/enroll', '{', headers)).json()).toEqual(WRONG_KEY);
    expect((await postTo(app, '/node/enroll', 'a', { ...headers, 'content-type': 'text/plain' })).statusCode).toBe(403);
    expect((await postTo(app, '/node/enroll', '5'.repeat(2_000_000), headers)).statusCode).toBe(403);
    expect((await postTo(app, '/node/bad-version/enroll', {}, headers)).json()).toEqual(WRONG_KEY);
    expect((await postTo(app, '/node/enroll', {}, { ...headers, 'x-encryption-version': '9' })).statusCode).toBe(403);
  });

  it('refuses a wrong body before missing features', async () => {
    const reply = await client.post('/node/predict', { K: 'five' });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({ status: 400, message: 'body.K must be an integer' });
    const enroll = await client.post('/node/plainEnroll', { metadata: { id: 7 } });
    expect(enroll.json()).toEqual({ status: 400, message: 'body.metadata.id must be a string' });
    expect((await postTo(app, '/node/predict', { K: 'five', api_key: 'wrong' })).json()).toEqual(WRONG_KEY);
  });
});

describe('the key check', () => {
  it.each([
    ['{}', {}],
    ['null', 'null'],
    ['nothing', ''],
    ['an empty key', { api_key: '' }],
    ['null as the key', { api_key: null }],
    ['an array', []],
  ])('answers 400 to %s', async (_name, body) => {
    for (const headers of [{}, { 'x-api-key': '' }] as Record<string, string>[]) {
      const reply = await postTo(app, KEY_CHECK, body, headers);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual(NO_KEY);
    }
  });
});

describe('deleteUser', () => {
  it.each(['/node/deleteUser', '/node/FACE3_2/deleteUser'])('answers 500 to %s without a puid', async (path) => {
    for (const body of [{}, { puid: null }, { puid: '' }, { puid: {} }, '', 'null']) {
      const reply = await client.post(path, body);
      expect(reply.statusCode).toBe(500);
      expect(reply.json()).toEqual({ status: -2, message: 'Missing PUID.' });
    }
  });

  it('reports delete failed for unknown people', async () => {
    const { puid, guid } = (await client.plainEnroll(faceOf(1))).json();
    const stranger = createNodeClient(app, 'another key');
    const sealed = client.seal('puid', puid);
    for (const given of [
      '01900000-0000-4000-8000-000000000000',
      client.seal('puid', '01900000-0000-4000-8000-000000000000'),
      stranger.seal('puid', puid),
      client.seal('guid', puid),
      client.seal('features', puid),
      client.seal('puid', ''),
      client.seal('puid', client.seal('puid', puid)),
      guid,
      ` ${puid}`,
      puid.toUpperCase().replace(/^/, 'X'),
      `${sealed}=`,
      sealed.slice(0, -1),
      sealed.slice(0, 12),
      '-1',
      "' or 1=1 --",
      '\0',
      'x'.repeat(10_000),
    ]) {
      const reply = await client.deleteUser(given);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual(DELETE_FAILED);
    }
    for (const given of [5, true, [puid], { puid }]) {
      const reply = await client.deleteUser(given);
      expect([reply.statusCode, reply.json().status]).toEqual([400, 400]);
    }
    expect((await client.plainPredict(faceOf(1))).json()).toMatchObject({ status: 0, puid });
  });
});

describe('what HTTP itself refuses, in the form of this area', () => {
  it('answers 404 to an unknown path', async () => {
    for (const path of [
      '/node/',
      '/node/nothing',
      '/node/FACE3_1/plainEnroll',
      '/node/a/b/enroll',
      '/node/api-key/x',
    ]) {
      const reply = await client.post(path, {});
      expect(reply.statusCode).toBe(404);
      expect(reply.json()).toEqual({ status: 404, message: expect.any(String) });
    }
  });

  it.each([...NODE_CALLS, KEY_CHECK])('answers 405 with Allow to GET %s', async (url) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'] as const) {
      const reply = await app.http.inject({ method, url });
      expect(reply.statusCode).toBe(405);
      expect(reply.headers.allow).toBe('POST');
      expect(reply.json()).toEqual({ status: 405, message: 'This path takes POST.' });
    }
  });

  it.each([...NODE_CALLS, KEY_CHECK])('answers 413 and 415 at %s', async (path) => {
    const large = await client.post(path, `"${'x'.repeat(4 * 1024 * 1024)}"`);
    expect(large.statusCode).toBe(413);
    expect(large.json()).toEqual({ status: 413, message: expect.stringMatching(/^The body may have at most/) });
    const form = await client.post(path, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(form.statusCode).toBe(415);
    expect(form.json()).toEqual({ status: 415, message: expect.stringMatching(/application\/json/) });
  });

  it('keeps its error format for an escaped path', async () => {
    const reply = await client.post('/%6eode/enroll', {});
    expect(reply.json()).toEqual(ENROLL_WITHOUT);
    expect((await client.post('/node/%zz/enroll', {})).json()).toMatchObject({ message: expect.any(String) });
    expect(Object.keys((await client.post('/node/%zz/enroll', {})).json())).toEqual(['status', 'message']);
  });
});

describe('503', () => {
  it.each([
    ['a deadlock', '40P01'],
    ['a lock that was not to be had in time', '55P03'],
  ])('has Retry-After for %s', async (_name, code) => {
    const { puid } = (await client.plainEnroll(faceOf(1))).json();
    const { database } = app;
    const { transact } = database;
    database.transact = async () => {
      database.transact = transact;
      throw Object.assign(new Error('canceling statement'), { code });
    };
    const reply = await client.deleteUser(puid);
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '2']);
    expect(reply.json()).toEqual({ status: 503, message: expect.stringMatching(/try again soon/) });
    expect((await client.deleteUser(puid)).statusCode).toBe(200);
  });
});
