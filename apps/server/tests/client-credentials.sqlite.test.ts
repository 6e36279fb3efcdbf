// The bare value of a key with client credentials, which every webhook receiver knows, opens no
// verification session.
import { beforeAll, describe, expect, it } from 'vitest';
import { createNodeClient, type NodeClient } from '#testing/faces/node-client.ts';
import {
  createBody,
  newVerificationHost,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp();
const VECTOR = Array.from({ length: 128 }, (_, i) => Math.cos(i * 3.7));
/** Version of the galleries that hold people of verification sessions */
const SIGN_IN_VERSION = 'LIMEN_0123456789ABCDEF';
const NOBODY = '00000000-0000-4000-8000-000000000000';

let apiKey: string;
let basic: Record<string, string>;
/** Headers that a caller without the secret can send instead */
let wrong: Record<string, string>[];

const encode = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

beforeAll(async () => {
  const [own, other] = [
    await room.app.apiKeys.create({ kind: 'live', clientCredentials: true }),
    await room.app.apiKeys.create({ kind: 'live', clientCredentials: true }),
  ];
  apiKey = own.apiKey;
  basic = { authorization: encode(own.clientId!, own.clientSecret!) };
  wrong = [
    {},
    { authorization: encode(own.clientId!, other.clientSecret!) },
    { authorization: encode(other.clientId!, other.clientSecret!) },
    { authorization: `Bearer ${own.clientSecret}` },
  ];
});

type Method = 'GET' | 'POST' | 'DELETE';
const call = (method: Method, url: string, headers: Record<string, string>, payload?: object) =>
  room.app.http.inject({
    method,
    url,
    headers: { 'x-api-key': apiKey, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });

async function createSession(): Promise<string> {
  return (await call('POST', '/v2/verification-session', basic, createBody('ENROLL'))).json().sessionId;
}

describe('without the client secret', () => {
  it('no route of verification sessions, deliveries, resends or vouching answers', async () => {
    const id = await createSession();
    const calls: [Method, string, object?][] = [
      ['POST', '/v2/verification-session', createBody('ENROLL')],
      ['GET', `/v2/verification-session/${id}/result`],
      ['POST', `/v2/verification-session/${id}/simulate`, { outcome: 'success' }],
      ['POST', `/v2/verification-session/${id}/trust-device`],
      ['DELETE', `/v2/verification-session/${id}`],
      ['GET', '/v2/webhook-deliveries'],
      ['POST', `/v2/webhook-deliveries/${NOBODY}/resend`],
    ];
    for (const [method, url, payload] of calls) {
      for (const headers of wrong) {
        const reply = await call(method, url, headers, payload);
        expect(reply.json(), url).toMatchObject({ statusCode: 401, message: 'Invalid client credentials' });
      }
    }
    expect((await call('GET', `/v2/verification-session/${id}/result`, basic)).json().status).toBe('PENDING');
    expect((await call('GET', '/v2/webhook-deliveries', basic)).statusCode).toBe(200);
  });

  it('a person of verification sessions is not deleted through the biometric node, and seems not to exist', async () => {
    const node: NodeClient = createNodeClient(room.app, apiKey);
    const enrolled = (await node.plainEnroll(VECTOR, { body: { version: SIGN_IN_VERSION }, headers: basic })).json();
    for (const headers of wrong) {
      const [there, nowhere] = [
        await node.deleteUser(enrolled.puid, { headers }),
        await node.deleteUser(NOBODY, { headers }),
      ];
      expect([there.statusCode, there.body]).toEqual([nowhere.statusCode, nowhere.body]);
      expect(there.json()).toEqual({ status: 400, message: 'delete failed' });
    }
    expect((await node.deleteUser(enrolled.puid, { headers: basic })).json().message).toBe('delete successful');
  });

  it('galleries of our own face model accept and find no one through the biometric node', async () => {
    const node = createNodeClient(room.app, apiKey);
    for (const headers of wrong) {
      const replies = [
        await node.plainEnroll(VECTOR, { body: { version: SIGN_IN_VERSION }, headers }),
        await node.plainPredict(VECTOR, { body: { version: SIGN_IN_VERSION }, headers }),
        await node.enroll([VECTOR], { version: SIGN_IN_VERSION, headers }),
        await node.predict([VECTOR], { version: SIGN_IN_VERSION, headers }),
      ];
      for (const reply of replies) {
        expect(reply.statusCode).toBe(403);
        expect(reply.json()).toMatchObject({ status: -1, message: expect.stringContaining('client credentials') });
      }
    }
  });

  it('age sessions and the other galleries of the biometric node work as specified', async () => {
    const node = createNodeClient(room.app, apiKey);
    const created = await call('POST', '/session', {}, {});
    expect(created.statusCode).toBe(201);
    expect((await call('DELETE', `/session/${created.json().token}`, {})).statusCode).toBe(204);
    const { puid } = (await node.plainEnroll(VECTOR)).json();
    expect((await node.plainPredict(VECTOR)).json().puid).toBe(puid);
    expect((await node.deleteUser(puid)).json().message).toBe('delete successful');
  });
});

it('a sign-in or an enrollment that names a person is refused: only VERIFY compares with one person', async () => {
  const host: VerificationHost = await newVerificationHost(room);
  for (const type of ['SIGN-IN', 'ENROLL']) {
    const reply = await host.create({ ...createBody(type), userId: NOBODY });
    expect(reply.status).toBe(400);
    expect(reply.body.details).toMatchObject([{ path: 'body.userId' }]);
  }
  expect((await host.create({ ...createBody('VERIFY'), userId: NOBODY })).status).toBe(201);
});
