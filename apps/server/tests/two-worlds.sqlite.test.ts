// A customer's test key must not reach the same customer's live data.
import { beforeAll, describe, expect, it } from 'vitest';
import { createNodeClient, NOBODY_PLAIN, type NodeClient } from '#testing/faces/node-client.ts';
import {
  capture,
  createBody,
  enroll,
  newFace,
  newPersonKey,
  newVerificationHost,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp({ REQUIRE_API_KEY: 'strings' });
const CUSTOMER = 'one customer';
const VECTOR = Array.from({ length: 128 }, (_, i) => Math.sin(i * 7.1));

let live: VerificationHost;
/** Keys of the same customer that are not live */
let others: VerificationHost[];

beforeAll(async () => {
  live = await newVerificationHost(room, 'live', CUSTOMER);
  others = [
    await newVerificationHost(room, 'test', CUSTOMER),
    await newVerificationHost(room, 'development', CUSTOMER),
  ];
});

describe('a test key of the same customer', () => {
  it('does not read, redact or simulate a live session of either kind', async () => {
    const sessionId = await live.start('ENROLL');
    const { token } = (await live.call<{ token: string }>('POST', '/session', {})).body;
    for (const other of others) {
      expect((await other.result(sessionId)).status).toBe(404);
      expect((await other.call('DELETE', `/v2/verification-session/${sessionId}`)).status).toBe(404);
      const simulate = { outcome: 'success' };
      const simulated = await other.call('POST', `/v2/verification-session/${sessionId}/simulate`, simulate);
      expect(simulated.status).toBe(404);
      expect((await other.call('GET', `/session/${token}/result`)).status).toBe(404);
      expect((await other.call('DELETE', `/session/${token}`)).status).toBe(404);
      expect((await other.call('POST', `/session/${token}/simulate`, { outcome: 'above' })).status).toBe(404);
    }
    expect((await live.result(sessionId)).body.status).toBe('PENDING');
    expect((await live.call('GET', `/session/${token}/result`)).status).toBe(200);
  });

  it('does not vouch for the device of a thief: its next live sign-in stays REVIEW', async () => {
    const [face, thief] = [newFace(), await newPersonKey()];
    await enroll(room, live, face, await newPersonKey());
    const stolen = await capture(room, await live.start('SIGN-IN'));
    await stolen.reach('token');
    const { deviceId } = (await stolen.show(sameFace(face), thief)).body;
    await stolen.answer();
    for (const testHost of others) expect((await testHost.trustDevice(stolen.id)).status).toBe(404);
    const next = await capture(room, await live.start('SIGN-IN'));
    await next.reach('token');
    await next.local(deviceId!, thief);
    await next.answer();
    expect((await live.result(next.id)).body.riskEvaluation).toMatchObject({ recommendation: 'REVIEW' });
  });

  it('signs in no one enrolled by a live key, by face, puid, device or passkey', async () => {
    const [face, key] = [newFace(), await newPersonKey()];
    const { puid, deviceId } = await enroll(room, live, face, key);
    for (const other of others) {
      const byFace = await capture(room, await other.start('SIGN-IN'));
      await byFace.reach('token');
      expect((await byFace.show(sameFace(face))).body.outcome).toBe('not_recognized');
      expect((await byFace.local(deviceId!, key)).body.outcome).toBe('refused');
      const byPuid = await capture(room, await other.start('VERIFY', { userId: puid }));
      await byPuid.reach('token');
      expect((await byPuid.show(sameFace(face))).body.outcome).toBe('not_recognized');
    }
  });

  it('neither lists nor resends live deliveries', async () => {
    const sessionId = await live.start('ENROLL');
    const session = await capture(room, sessionId);
    await session.device.call('POST', sessionId, 'cancel', { body: { reason: 'user' } });
    type Deliveries = { deliveries: { id: string; sessionId: string }[] };
    const list = (host: VerificationHost) => host.call<Deliveries>('GET', '/v2/webhook-deliveries');
    const mine = (await list(live)).body.deliveries.find((delivery) => delivery.sessionId === sessionId);
    expect(mine).toBeDefined();
    for (const other of others) {
      expect((await list(other)).body.deliveries.filter((delivery) => delivery.sessionId === sessionId)).toEqual([]);
      expect((await other.call('POST', `/v2/webhook-deliveries/${mine!.id}/resend`)).status).toBe(404);
    }
  });

  it('does not enroll into, search or delete from a live gallery of the biometric node', async () => {
    const client = (host: VerificationHost): NodeClient => createNodeClient(room.app, host.apiKey);
    const mine = (await client(live).plainEnroll(VECTOR)).json();
    expect(mine.puid).toBeDefined();
    for (const other of others.map(client)) {
      expect((await other.deleteUser(mine.puid)).json()).toMatchObject({ message: 'delete failed' });
    }
    const [test] = others.map(client);
    expect((await test!.plainPredict(VECTOR)).json()).toEqual(NOBODY_PLAIN);
    const theirs = (await test!.plainEnroll(VECTOR)).json();
    expect([theirs.puid, theirs.guid]).not.toContain(mine.puid);
    expect(theirs.guid).not.toBe(mine.guid);
    expect((await client(live).plainPredict(VECTOR)).json().puid).toBe(mine.puid);
  });

  it('does not return its own session for a live creation with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'order-1' };
    const [test] = others;
    const first = await test!.create(createBody('ENROLL'), key);
    const again = await test!.create(createBody('ENROLL'), key);
    expect(again.body.sessionId).toBe(first.body.sessionId);
    const created = await live.create(createBody('ENROLL'), key);
    expect(created.status).toBe(201);
    expect(created.body.sessionId).not.toBe(first.body.sessionId);

    const post = (host: VerificationHost, url: string, payload: object) =>
      room.app.http.inject({ method: 'POST', url, headers: { ...host.headers, ...key }, payload });
    for (const [url, payload] of [
      ['/session', {}],
      ['/strings', { value: 'text' }],
      ['/node/plainEnroll', { features: { embedding_vector: VECTOR.toReversed() } }],
    ] as const) {
      const [theirs, mine] = [await post(test!, url, payload), await post(live, url, payload)];
      expect(theirs.statusCode, url).toBeLessThan(300);
      expect(mine.json(), url).not.toEqual(theirs.json());
      expect((await post(test!, url, payload)).json(), url).toEqual(theirs.json());
    }
  });

  it("does not see, change or delete a live key's watched subject with the same reference", async () => {
    const subjects = '/v2/screening/subjects';
    const put = (host: VerificationHost, name: string) =>
      host.call<{ id: string }>('POST', subjects, { reference: 'c-1', name, dataset: 'demo' });
    const { id } = (await put(live, 'A Live Name')).body;
    for (const other of others) {
      for (const path of ['', '/hits', '/evidence']) {
        expect((await other.call('GET', `${subjects}/${id}${path}`)).status).toBe(404);
      }
      expect((await other.call('DELETE', `${subjects}/${id}`)).status).toBe(404);
      expect((await put(other, 'A Test Name')).body.id).not.toBe(id);
      expect((await other.call('GET', subjects)).text).not.toContain('A Live Name');
    }
    expect((await live.call('GET', `${subjects}/${id}`)).text).toContain('A Live Name');
    expect((await live.call('GET', subjects)).text).not.toContain('A Test Name');
  });

  it('does not see the strings of a live key in a closed store', async () => {
    const made = await live.call<{ id: string }>('POST', '/strings', { value: 'live text' });
    for (const other of others) {
      expect((await other.call('GET', `/strings/${made.body.id}`)).status).toBe(404);
      expect((await other.call('DELETE', `/strings/${made.body.id}`)).status).toBe(404);
      expect((await other.call('GET', '/strings')).text).not.toContain('live text');
    }
  });

  it('shares its data with development keys, and a live key sees none of it', async () => {
    const [test, development] = others;
    const sessionId = await test!.start('ENROLL');
    expect((await development!.result(sessionId)).status).toBe(200);
    expect((await live.result(sessionId)).status).toBe(404);
  });

  it('does not use up the attempts or the answers of the live world', async () => {
    const [test] = others;
    const address = '203.0.113.9';
    await enroll(room, test!, newFace());
    let status = 200;
    for (let attempt = 0; attempt < 40 && status === 200; attempt++) {
      const session = await capture(room, await test!.start('SIGN-IN'), { address });
      await session.reach('token');
      const opened = await session.challenge();
      status = opened.body.outcome === 'ready' ? opened.status : 429;
      if (opened.body.outcome === 'ready') await session.send(await session.encrypt(newFace(), opened.body));
    }
    expect(status).toBe(429);
    const face = newFace();
    const { puid } = await enroll(room, live, face);
    const session = await capture(room, await live.start('SIGN-IN'), { address });
    await session.reach('token');
    expect((await session.show(sameFace(face))).body.outcome).toBe('matched');
    await session.answer();
    expect((await live.result(session.id)).body.puid).toBe(puid);
  });
});
