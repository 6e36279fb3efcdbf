// The biometric node's client on the wire: requests, replies and retries.
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { reply, reset, type Step } from '../../testing/scripted-server.ts';
import { createNodeCipher, type LimenClient, LimenError, NodeCipherError } from '../index.ts';

const API_KEY = 'limen_test_4f1c9a70d2be4c5f8e63';
const FACE = Array.from({ length: 128 }, (_, index) => index / 128);
const cipher = createNodeCipher(API_KEY);
const PUID = '0198c2f4-6d1e-7a3b-9c50-2f8e7d6b4a19';
const GUID = '0198c2f4-6d1e-7a3b-9c50-000000000001';
const SEALED = { puid: await cipher.encrypt('puid', PUID), guid: await cipher.encrypt('guid', GUID) };
const FOREIGN = await createNodeCipher('another-key').encrypt('puid', PUID);
const PERSON = { puid: PUID, guid: GUID };

const ENROLLED = { status: 0, message: 'Ok', enroll_level: 2, score: 1, ...SEALED };
const RECOGNIZED = { status: 0, message: 'Ok', enroll_level: 3, score: 0.93, ...SEALED };
const NOBODY = { status: -1, message: 'User not enrolled', puid: '-1', guid: '-1', score: '-1' };
const DELETED = reply(200, { status: 200, message: 'delete successful' });
const DELETE_FAILED = refuse(400, 400, 'delete failed');
const BUSY = refuse(503, 500, 'The service is busy.');
const TOO_MANY = refuse(429, 429, 'Too many requests.', { 'retry-after': '3' });

/** A refusal in the node's format. */
function refuse(status: number, nodeStatus: number, message: string, headers: Record<string, string> = {}): Step {
  return reply(status, { status: nodeStatus, message }, headers);
}

function start(...script: Step[]) {
  return startScriptedClient(script, { apiKey: API_KEY });
}

describe('enroll', () => {
  it('sends sealed features and reads the sealed person', async () => {
    const { client, received } = await start(reply(200, ENROLLED));
    const result = await client.node.enroll([FACE, { type: 'left', embedding_vector: FACE }], {
      version: 'FACE9_9',
      userIdentifier: 'customer 17',
      correlationId: 'c-1',
      idempotencyKey: 'i-1',
    });
    expect(result).toEqual({ outcome: 'enrolled', ...PERSON, enrollLevel: 2, score: 1 });
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/node/FACE9_9/enroll',
        headers: {
          'x-api-key': API_KEY,
          'x-encryption-version': '1',
          'x-correlation-id': 'c-1',
          'idempotency-key': 'i-1',
        },
      },
    ]);
    const { features, ...others } = JSON.parse(received[0]!.body);
    expect(others).toEqual({ metadata: { id: 'customer 17' } });
    expect(JSON.parse(await cipher.decrypt('features', features))).toEqual([
      { embedding_vector: FACE },
      { type: 'left', embedding_vector: FACE },
    ]);
  });

  it('sends only the given options', async () => {
    const { client, received } = await start(reply(200, ENROLLED));
    await client.node.enroll(FACE);
    expect(received[0]!.url).toBe('/node/FACE3_1/enroll');
    expect(Object.keys(JSON.parse(received[0]!.body))).toEqual(['features']);
    for (const name of ['x-correlation-id', 'x-encoding']) {
      expect(received[0]!.headers).not.toHaveProperty(name);
    }
  });

  it('reports existing people and unusable faces', async () => {
    const known = { ...ENROLLED, message: 'User Already Enrolled', score: 0.97 };
    const { client } = await start(reply(200, known), reply(200, { status: 152, message: 'bad' }));
    expect(await client.node.enroll(FACE)).toEqual({
      outcome: 'already_enrolled',
      ...PERSON,
      enrollLevel: 2,
      score: 0.97,
    });
    expect(await client.node.enroll(FACE)).toEqual({ outcome: 'unusable' });
  });
});

describe('predict', () => {
  it('returns the person, or the reason why there is none', async () => {
    const { client, received } = await start(
      reply(200, RECOGNIZED),
      reply(200, NOBODY),
      reply(200, { status: 153, message: 'bad' }),
    );
    expect(await client.node.predict(FACE, { userIdentifier: 'customer 17' })).toEqual({
      recognized: true,
      ...PERSON,
      enrollLevel: 3,
      score: 0.93,
    });
    expect(await client.node.predict(FACE)).toEqual({ recognized: false, reason: 'not_enrolled' });
    expect(await client.node.predict(FACE)).toEqual({ recognized: false, reason: 'unusable' });
    expect(received[0]!.url).toBe('/node/FACE3_1/predict');
    const { features, ...others } = JSON.parse(received[0]!.body);
    expect(others).toEqual({ user_identifier: 'customer 17' });
    expect(JSON.parse(await cipher.decrypt('features', features))).toEqual([{ embedding_vector: FACE }]);
  });

  it('lists several people, one, or none', async () => {
    const list = [
      { ...SEALED, score: 0.9 },
      { ...SEALED, score: 0.8 },
    ];
    const { client, received } = await start(
      reply(200, { status: 0, message: 'Ok', PI_list: list }),
      reply(200, RECOGNIZED),
      reply(200, NOBODY),
      reply(200, { status: 153, message: 'bad' }),
    );
    expect(await client.node.predictMany(FACE, 5)).toEqual([
      { ...PERSON, score: 0.9 },
      { ...PERSON, score: 0.8 },
    ]);
    expect(await client.node.predictMany(FACE, 1)).toEqual([{ ...PERSON, score: 0.93 }]);
    expect(await client.node.predictMany(FACE, 100)).toEqual([]);
    expect(await client.node.predictMany(FACE, 2)).toEqual([]);
    expect(received.map(({ body }) => JSON.parse(body).K)).toEqual([5, 1, 100, 2]);
  });
});

describe('deleteUser', () => {
  it('sends the sealed puid and returns whether the person existed', async () => {
    const { client, received } = await start(DELETED, DELETE_FAILED);
    expect(await client.node.deleteUser(PUID)).toBe(true);
    expect(await client.node.deleteUser(PUID, { version: 'FACE3_3' })).toBe(false);
    expect(received.map(({ url }) => url)).toEqual(['/node/FACE3_1/deleteUser', '/node/FACE3_3/deleteUser']);
    const { puid } = JSON.parse(received[0]!.body);
    expect(await cipher.decrypt('puid', puid)).toBe(PUID);
  });

  it.each([
    ['a lost answer', reset],
    ['503', BUSY],
  ])('succeeds if a retry after %s finds no one', async (_name, step) => {
    const { client, received } = await start(step, DELETE_FAILED);
    expect(await client.node.deleteUser(PUID)).toBe(true);
    expect(received).toHaveLength(2);
  });

  it('finds no one after 429, which precedes any work', async () => {
    const { client } = await start(TOO_MANY, DELETE_FAILED);
    expect(await client.node.deleteUser(PUID)).toBe(false);
  });

  it('rejects on any other refusal', async () => {
    const { client } = await start(reset, refuse(400, 400, 'version is not known'));
    expect(await rejectionOf(client.node.deleteUser(PUID))).toMatchObject({ status: 400, nodeStatus: 400 });
  });
});

describe('checkApiKey', () => {
  it('returns true or false', async () => {
    const { client, received } = await start(
      reply(200, { status: 0, message: 'API Key is valid' }),
      refuse(403, -1, 'Failed to check api key'),
    );
    expect(await client.node.checkApiKey()).toBe(true);
    expect(await client.node.checkApiKey()).toBe(false);
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/node/api-key/checkApiKeyValid',
      headers: { 'x-api-key': API_KEY },
    });
  });

  it('rejects if a proxy refuses', async () => {
    const { client } = await start(reply(403, '<h1>Forbidden</h1>'));
    expect(await rejectionOf(client.node.checkApiKey())).toMatchObject({ status: 403, nodeStatus: undefined });
  });
});

describe('the plain calls', () => {
  it('send one vector unchanged', async () => {
    const person = { ...PERSON, statusCode: 200 };
    const { client, received } = await start(
      reply(200, { status: 0, message: 'Ok', enroll_level: 1, ...person }),
      reply(200, { status: 0, message: 'Ok', enroll_level: 1, score: 0.9, ...person }),
      reply(200, { status: 0, message: 'Ok', statusCode: 200, PI_list: [{ ...PERSON, score: 0.9 }] }),
      reply(200, { ...NOBODY, statusCode: 200, score: -1 }),
    );
    const face = Float32Array.from(FACE);
    expect(await client.node.plain.enroll(face, { version: 'FACE3_1', userIdentifier: 'u' })).toEqual({
      outcome: 'enrolled',
      ...PERSON,
      enrollLevel: 1,
    });
    expect(await client.node.plain.predict(face, { userIdentifier: 'u' })).toEqual({
      recognized: true,
      ...PERSON,
      enrollLevel: 1,
      score: 0.9,
    });
    expect(await client.node.plain.predictMany(face, 3)).toEqual([{ ...PERSON, score: 0.9 }]);
    expect(await client.node.plain.predict(face)).toEqual({ recognized: false, reason: 'not_enrolled' });
    expect(received.map(({ url }) => url)).toEqual([
      '/node/plainEnroll',
      '/node/plainPredict',
      '/node/plainPredict',
      '/node/plainPredict',
    ]);
    const features = { embedding_vector: FACE };
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      { version: 'FACE3_1', features, metadata: { id: 'u' } },
      { features, user_identifier: 'u' },
      { features, K: 3 },
      { features },
    ]);
    expect(received[0]!.headers).not.toHaveProperty('x-encryption-version');
  });

  it('read ROT13 if requested', async () => {
    const turned = { puid: 'nop-123', guid: 'Znaargurvz' };
    const { client, received } = await start(
      reply(200, { status: 0, message: 'Ok', enroll_level: 1, ...turned }),
      reply(200, { status: 0, message: 'Ok', enroll_level: 1, ...turned }),
    );
    const { node } = client;
    expect(await node.plain.enroll(FACE, { rot13: true })).toMatchObject({ puid: 'abc-123', guid: 'Mannetheim' });
    expect(await node.plain.enroll(FACE, { rot13: false })).toMatchObject(turned);
    expect(received.map(({ headers }) => headers['x-encoding'])).toEqual(['rot13', undefined]);
  });
});

describe('retries', () => {
  it.each<[string, (client: LimenClient) => Promise<unknown>, object]>([
    ['enroll', ({ node }) => node.enroll(FACE), ENROLLED],
    ['predict', ({ node }) => node.predict(FACE), RECOGNIZED],
    ['predictMany', ({ node }) => node.predictMany(FACE, 2), NOBODY],
    ['checkApiKey', ({ node }) => node.checkApiKey(), { status: 0 }],
    ['plain.enroll', ({ node }) => node.plain.enroll(FACE), { ...ENROLLED, ...PERSON }],
    ['plain.predict', ({ node }) => node.plain.predict(FACE), { ...RECOGNIZED, ...PERSON }],
  ])('of %s send the same body until they get a reply', async (_name, call, answer) => {
    const { client, received, waits } = await start(BUSY, reset, TOO_MANY, reply(200, answer));
    await call(client);
    expect(received.map(({ body }) => body)).toEqual(Array(4).fill(received[0]!.body));
    expect(waits).toEqual([250, 500, 3000 + 1000]);
  });
});

describe('refusals', () => {
  it('carry the HTTP status, the header’s code, and the body’s number and message', async () => {
    const headers = { 'x-error-code': 'validation_failed', 'x-request-id': 'r-1' };
    const { client, received } = await start(refuse(400, -2, 'Enrollment Failed Features not provided.', headers));
    const error = await rejectionOf(client.node.enroll(FACE));
    expect(error).toBeInstanceOf(LimenError);
    expect(error).toMatchObject({
      status: 400,
      code: 'validation_failed',
      nodeStatus: -2,
      message: 'Enrollment Failed Features not provided.',
      requestId: 'r-1',
    });
    expect(received).toHaveLength(1);
  });

  it('carry the time to wait', async () => {
    const { client } = await start(refuse(429, 429, 'Too many requests.', { 'retry-after': '3600' }));
    expect(await rejectionOf(client.node.predict(FACE))).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      nodeStatus: 429,
      retryAfterSeconds: 3600,
    });
  });
});

describe('a reply that is not Limen’s', () => {
  it.each([
    ['{}', {}],
    ['another status', { ...ENROLLED, status: 7 }],
    ['no puid', { ...ENROLLED, puid: 5 }],
    ['no score', { ...ENROLLED, score: '1' }],
    ['no level', { ...ENROLLED, enroll_level: undefined }],
    ['puid and guid swapped', { ...ENROLLED, puid: SEALED.guid, guid: SEALED.puid }],
    ['a puid that is not sealed', { ...ENROLLED, puid: PUID }],
    ['a puid sealed with another key', { ...ENROLLED, puid: FOREIGN }],
  ])('is an error that reveals nothing: %s', async (_name, body) => {
    const { client } = await start(reply(200, body), reply(200, body));
    for (const call of [client.node.enroll, client.node.predict]) {
      const error = (await rejectionOf(call(FACE))) as Error;
      expect(error).toMatchObject({ name: 'LimenError', status: 200, code: 'invalid_reply' });
      expect(error.message).toMatch(/^The reply is not from the biometric node: /);
      for (const secret of [PUID, GUID, FOREIGN, API_KEY]) expect(error.message).not.toContain(secret);
    }
  });

  it('has a cause if an id does not open', async () => {
    const { client } = await start(reply(200, { ...ENROLLED, puid: FOREIGN }));
    const error = (await rejectionOf(client.node.enroll(FACE))) as LimenError;
    expect(error.message).toContain('its puid does not open');
    expect(error.cause).toBeInstanceOf(NodeCipherError);
  });

  it('is an error for malformed lists', async () => {
    const { client } = await start(reply(200, { status: 0, PI_list: [null] }));
    expect(await rejectionOf(client.node.predictMany(FACE, 2))).toMatchObject({ code: 'invalid_reply' });
  });
});

describe('invalid arguments', () => {
  it('include a missing API key', async () => {
    const { client, received } = await startScriptedClient([]);
    const { node } = client;
    const calls = [
      () => node.checkApiKey(),
      () => node.enroll(FACE),
      () => node.predict(FACE),
      () => node.predictMany(FACE, 2),
      () => node.deleteUser(PUID),
      () => node.plain.enroll(FACE),
      () => node.plain.predict(FACE),
      () => node.plain.predictMany(FACE, 2),
    ];
    for (const call of calls) {
      const told = new TypeError('limen.node needs an API key: pass apiKey to createLimenClient');
      expect(await rejectionOf(call())).toEqual(told);
    }
    expect(received).toEqual([]);
  });

  it.each<[(client: LimenClient) => Promise<unknown>, RegExp]>([
    [({ node }) => node.enroll(FACE.slice(1)), /^a face vector must have 128 to 512 numbers$/],
    [({ node }) => node.predict([]), /^features must be one face vector/],
    [({ node }) => node.plain.enroll(FACE.slice(1)), /^a face vector must have 128 to 512 numbers$/],
    [({ node }) => node.plain.predict([FACE] as never), /^a face vector must have 128 to 512 numbers$/],
    [({ node }) => node.enroll(FACE, { version: '../x' }), /^version must be/],
    [({ node }) => node.plain.predict(FACE, { version: '' }), /^version must be/],
    [({ node }) => node.predictMany(FACE, 0), /^k must be a whole number from 1 to 100$/],
    [({ node }) => node.predictMany(FACE, 101), /^k must be/],
    [({ node }) => node.plain.predictMany(FACE, 1.5), /^k must be/],
    [({ node }) => node.deleteUser(''), /^puid must be/],
    [
      ({ node }) => node.enroll(FACE, { correlationId: 'secret\n' }),
      /^the header x-correlation-id must contain visible/,
    ],
  ])('are reported before sending (%#)', async (call, message) => {
    const { client, received } = await start();
    expect(await rejectionOf(call(client))).toMatchObject({ message: expect.stringMatching(message) });
    expect(received).toEqual([]);
  });
});

describe('nodeUrl', () => {
  it('applies to the node’s calls only', async () => {
    const elsewhere = await start(reply(200, { status: 0, message: 'API Key is valid' }));
    const nodeUrl = `${elsewhere.url}/biometrics`;
    const { client, received } = await startScriptedClient([reply(200, {})], { apiKey: API_KEY, nodeUrl });
    await client.describe();
    expect(await client.node.checkApiKey()).toBe(true);
    expect(received.map(({ url }) => url)).toEqual(['/']);
    expect(elsewhere.received.map(({ url }) => url)).toEqual(['/biometrics/node/api-key/checkApiKeyValid']);
  });

  it.each(['nowhere', 'https://limen.example/?key=1'])(
    'is validated when the client is created: %s',
    async (nodeUrl) => {
      await expect(startScriptedClient([], { nodeUrl })).rejects.toThrow(/^nodeUrl must be/);
    },
  );
});
