// Viewing and claiming a session, and the signatures of every call.
import { type LogEntry, MOVEMENTS } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { BEGAN, newDevice } from '#testing/device.ts';
import {
  captureSession,
  claimSession,
  openSession,
  readPlan,
  sealFor,
  useDeviceApp,
} from '#testing/sessions/device-app.ts';

const room = useDeviceApp();
/** Fields that only other areas request. */
const ASKS = { operation: 'AGE', sharesSelfie: false, contact: [], passkey: false, light: true };
const UNKNOWN = '5198b3aa-8308-464b-93bf-c4755db792c4';

describe('a start with the claim', () => {
  it('is recorded immediately, and an answer may follow', async () => {
    const session = await openSession(room);
    const device = await newDevice(room.app.http);
    const { body } = await device.claim(session.id, { start: true });
    expect(body).toMatchObject({ log: [['started', 0, 0]], started: true, view: { state: 'capturing' } });
    expect(body).not.toHaveProperty('followed');
    const again = await device.claim(session.id, { start: true });
    expect(again.body).toMatchObject({ log: [['started', 0, 0]] });
    expect(again.body).not.toHaveProperty('started');
    room.clock.advance(10_000);
    const { planText, plan, log } = readPlan(body.plan);
    const [, ...rest] = log;
    const answer = await sealFor({ planText, plan }, { log: [['started', 0, 0], ...rest] });
    expect((await device.answer(session.id, answer)).body.end?.flowStatus).toBe('COMPLETED');
  });

  it("must match the start of the answer's log", async () => {
    const session = await openSession(room);
    const device = await newDevice(room.app.http);
    const { body } = await device.claim(session.id, { start: true });
    room.clock.advance(10_000);
    const { planText, plan, log } = readPlan(body.plan);
    const [[event, index], ...rest] = log as [LogEntry, ...LogEntry[]];
    const answer = await sealFor({ planText, plan }, { log: [[event, index, 1], ...rest] });
    expect(await device.answer(session.id, answer)).toMatchObject({ status: 409, error: 'log_conflict' });
    expect((await device.view(session.id)).body.state).toBe('capturing');
  });

  it('has no effect on a device that takes the session over', async () => {
    const { id, device } = await claimSession(room);
    const { body: offered } = await device.handoff(id);
    const other = await newDevice(room.app.http);
    const { code, number } = offered;
    const { body } = await other.claim(id, { code, number, start: true });
    expect(body).toMatchObject({ log: [], followed: true });
    expect(body).not.toHaveProperty('started');
  });
});

describe('the session view', () => {
  it('needs no signature and shows only what the page needs', async () => {
    const { id } = await openSession(room, { locale: 'de', enableDesktop: true, redirectUrl: 'https://shop.example/' });
    const reply = await room.app.http.inject({ method: 'GET', url: `/device/sessions/${id}` });
    expect(reply.json()).toEqual({
      sessionId: id,
      state: 'created',
      expiresAt: new Date(room.clock.now() + 1_800_000).toISOString(),
      serverTime: new Date(room.clock.now()).toISOString(),
      locale: 'de',
      enableDesktop: true,
      asks: { ...ASKS, requester: null, steps: ['face'], mayAskForDocument: false, sendsAge: false },
      role: 'none',
      handoff: 'offered',
    });
  });

  it('shows the requester and the purpose to everyone, before and after the claim', async () => {
    const { apiKey } = await room.app.apiKeys.create({
      kind: 'test',
      label: 'Wine shop',
      customerId: 'acme-secret-id',
      clientCredentials: false,
    });
    const payload = { requirements: ['face', 'identity_document'], documentAgeReturnFormat: 'exact' };
    const { http } = room.app;
    const created = await http.inject({ method: 'POST', url: '/session', headers: { 'x-api-key': apiKey }, payload });
    const id = new URL(created.json<{ launchUrl: string }>().launchUrl).searchParams.get('sessionId')!;
    const asks = {
      ...ASKS,
      requester: 'Wine shop',
      steps: ['face', 'identity_document'],
      mayAskForDocument: false,
      sendsAge: true,
    };
    const [device, stranger] = [await newDevice(http), await newDevice(http)];
    expect((await stranger.view(id)).body.asks).toEqual(asks);
    expect((await device.claim(id)).body.view.asks).toEqual(asks);
    expect((await device.view(id)).body.asks).toEqual(asks);
    const unsigned = await http.inject({ method: 'GET', url: `/device/sessions/${id}` });
    expect(unsigned.json().asks).toEqual(asks);
    expect(unsigned.body).not.toContain('acme-secret-id');
  });

  it('claims nothing, signed or not', async () => {
    const { id } = await openSession(room);
    const [one, two] = [await newDevice(room.app.http), await newDevice(room.app.http)];
    expect((await one.view(id)).body).toMatchObject({ state: 'created', role: 'none' });
    expect((await two.claim(id)).status).toBe(200);
    expect((await one.view(id)).body).toMatchObject({ state: 'opened', role: 'none' });
  });

  it("shows the progress only to the session's devices, before and after the end", async () => {
    const session = await captureSession(room, { redirectUrl: 'https://shop.example/back' });
    const stranger = await newDevice(room.app.http);
    const url = `/device/sessions/${session.id}`;
    expect((await session.device.view(session.id)).body).toMatchObject({
      state: 'capturing',
      role: 'active',
      progress: { step: 0, challengesDone: 3 },
    });
    expect((await room.app.http.inject({ method: 'GET', url })).json()).not.toHaveProperty('progress');
    expect((await stranger.view(session.id)).body).not.toHaveProperty('progress');
    await session.device.answer(session.id, await sealFor(session));
    const end = { flowStatus: 'COMPLETED', errors: [], redirectUrl: 'https://shop.example/back' };
    expect((await session.device.view(session.id)).body).toMatchObject({ state: 'completed', role: 'active', end });
    const told = { flowStatus: 'COMPLETED', errors: [] };
    expect((await room.app.http.inject({ method: 'GET', url })).json()).toMatchObject({ role: 'none', end: told });
    expect((await stranger.view(session.id)).body.end).toEqual(told);
  });

  it('shows strangers how a session ended, but neither reason nor redirect', async () => {
    const { id, device } = await claimSession(room, { redirectUrl: 'https://shop.example/back' });
    await device.cancel(id, -7);
    const end = { flowStatus: 'CANCELLED', errors: [-7], redirectUrl: 'https://shop.example/back' };
    expect((await device.view(id)).body.end).toEqual(end);
    const seen = (await room.app.http.inject({ method: 'GET', url: `/device/sessions/${id}` })).json();
    expect(seen.end).toEqual({ flowStatus: 'CANCELLED', errors: [] });
  });

  it('redirects late visitors of an unclaimed session', async () => {
    const { id } = await openSession(room, { redirectUrl: 'https://shop.example/back' });
    room.clock.advance(1_800_000);
    const end = { flowStatus: 'EXPIRED', errors: [-8], redirectUrl: 'https://shop.example/back' };
    expect((await (await newDevice(room.app.http)).view(id)).body.end).toEqual(end);
  });

  it('answers 404 to unknown sessions', async () => {
    const device = await newDevice(room.app.http);
    for (const id of [UNKNOWN, 'nonsense', '%00']) {
      expect((await room.app.http.inject({ method: 'GET', url: `/device/sessions/${id}` })).statusCode).toBe(404);
    }
    expect((await device.view(UNKNOWN)).status).toBe(404);
    expect((await device.claim(UNKNOWN)).status).toBe(404);
    expect((await device.cancel(UNKNOWN)).status).toBe(404);
  });
});

describe('the first claim', () => {
  it('binds the key, opens the session and returns a plan', async () => {
    const { id } = await openSession(room, { ageThreshold: 21, requirements: ['face', 'identity_document'] });
    const device = await newDevice(room.app.http);
    const { status, body } = await device.claim(id);
    expect(status).toBe(200);
    expect(body.view).toMatchObject({ sessionId: id, state: 'opened', role: 'active' });
    const { plan } = readPlan(body.plan);
    expect(plan).toMatchObject({ version: 1, sessionId: id, modelManifest: null });
    expect(plan.today).toBe(new Date(room.clock.now()).toISOString().slice(0, 10));
    expect(Buffer.from(plan.nonce, 'base64url').length).toBe(16);
    expect(Buffer.from(plan.publicKey, 'base64url').length).toBe(65);
    const [face, document] = plan.steps;
    if (face?.step !== 'face') throw new Error('no face step');
    expect(face).toMatchObject({ report: 'threshold', ageThreshold: 21, challengeMs: 15_000 });
    expect(new Set(face.challenges).size).toBe(3);
    for (const challenge of face.challenges) expect(MOVEMENTS).toContain(challenge);
    expect(document).toMatchObject({ step: 'identity_document', when: 'always' });
  });

  it('draws a different plan for every session', async () => {
    const plans = await Promise.all(Array.from({ length: 20 }, async () => (await claimSession(room)).plan));
    for (const field of ['nonce', 'publicKey'] as const) {
      expect(new Set(plans.map((plan) => plan[field])).size).toBe(plans.length);
    }
    // Twenty equal draws of twenty-four orders do not happen.
    expect(new Set(plans.map(({ steps }) => JSON.stringify(steps))).size).toBeGreaterThan(1);
  });

  it('returns the same plan and reports to the same device', async () => {
    const { id, device, planText, log } = await claimSession(room);
    room.clock.advance(5_000);
    const { body } = await device.claim(id);
    expect([body.plan, body.log]).toEqual([planText, []]);
    await device.report(id, 0, log.slice(0, 4));
    expect((await device.claim(id)).body).toMatchObject({ plan: planText, log: log.slice(0, 4) });
  });
});

describe('a refused claim', () => {
  it('explains a missing code and does not count against the session', async () => {
    const session = await captureSession(room);
    const other = await newDevice(room.app.http);
    const refused = await other.claim(session.id);
    expect(refused).toMatchObject({ status: 403, error: 'device_mismatch', body: { code: -16 } });
    expect(refused.body.message).toContain('QR code');
    await session.device.answer(session.id, await sealFor(session));
    expect((await room.host.result(session.token)).body.riskEvaluation).toMatchObject({ flags: [] });
  });

  it('is signed with another key than it names', async () => {
    const { id } = await openSession(room);
    const [one, two] = [await newDevice(room.app.http), await newDevice(room.app.http)];
    const reply = await one.call('POST', id, 'claim', { body: { publicKey: two.key } });
    expect(reply).toMatchObject({ status: 401, error: 'invalid_signature' });
    expect((await two.view(id)).body.state).toBe('created');
  });

  it('has a missing or malformed field', async () => {
    const { id } = await openSession(room);
    const device = await newDevice(room.app.http);
    for (const body of [{}, { publicKey: 5 }, { publicKey: device.key, code: 'short' }]) {
      expect(await device.call('POST', id, 'claim', { body })).toMatchObject({
        status: 400,
        error: 'validation_failed',
      });
    }
    expect((await device.call('POST', id, 'claim')).status).toBe(400);
    expect((await device.call('POST', id, 'claim', { body: {}, type: 'text/plain' })).status).toBe(415);
    expect((await device.call('POST', id, 'claim', { body: { publicKey: 'x'.repeat(20_000) } })).status).toBe(413);
  });

  it('is late, and ends the session', async () => {
    const { id, token } = await openSession(room);
    const device = await newDevice(room.app.http);
    room.clock.advance(1_800_000);
    expect(await device.claim(id)).toMatchObject({ status: 409, error: 'session_ended', body: { code: -8 } });
    expect((await device.view(id)).body).toMatchObject({ state: 'expired', end: { flowStatus: 'EXPIRED' } });
    expect((await room.host.result(token)).body.flowStatus).toBe('EXPIRED');
  });

  it('follows the end of the session', async () => {
    const { id, token } = await openSession(room);
    await room.host.simulate(token, { outcome: 'above' });
    const refused = await (await newDevice(room.app.http)).claim(id);
    expect(refused).toMatchObject({ status: 409, error: 'session_ended' });
    expect(refused.body).not.toHaveProperty('code');
  });
});

it('is required first by every call', async () => {
  const { id } = await openSession(room);
  const device = await newDevice(room.app.http);
  const replies = [
    await device.report(id, 0, [['started', 0, 0]]),
    await device.answer(id, Buffer.alloc(2_048)),
    await device.cancel(id),
    await device.handoff(id),
    await device.call('GET', id, 'updates'),
  ];
  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 403, error: 'device_mismatch', body: { code: -16 } });
    expect(reply.body.message).toContain('claim it first');
  }
  expect((await device.claim(id)).status).toBe(200);
});

describe('signatures', () => {
  it('are required for everything but the view', async () => {
    const { id } = await claimSession(room);
    for (const operation of ['claim', 'log', 'answer', 'cancel', 'handoff']) {
      const payload = operation === 'answer' ? Buffer.alloc(2_048) : '{}';
      const type = operation === 'answer' ? 'application/octet-stream' : 'application/json';
      const url = `/device/sessions/${id}/${operation}`;
      const reply = await room.app.http.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
      expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([401, 'invalid_signature']);
    }
    expect((await room.app.http.inject({ method: 'GET', url: `/device/sessions/${id}/updates` })).statusCode).toBe(401);
  });

  it('must be valid even if optional', async () => {
    const { id, device } = await claimSession(room);
    const other = await newDevice(room.app.http);
    const broken = (headers: Record<string, string>) => ({ ...headers, 'limen-device-key': other.key });
    const short = ({ 'limen-device-counter': _counter, ...headers }: Record<string, string>) => headers;
    for (const alter of [broken, short]) {
      expect(await device.call('GET', id, '', { alter })).toMatchObject({ status: 401, error: 'invalid_signature' });
      expect((await device.call('POST', id, 'cancel', { body: {}, alter })).status).toBe(401);
    }
    expect((await device.view(id)).body.state).toBe('opened');
  });

  it('are refused by header name if missing or malformed', async () => {
    const { id, device } = await claimSession(room);
    const wrong: [string, string | undefined, string][] = [
      ['limen-device-key', undefined, 'is missing'],
      ['limen-device-key', 'abc', '87 characters of base64url'],
      ['limen-device-key', 'A'.repeat(87), 'uncompressed point'],
      ['limen-device-counter', undefined, 'is missing'],
      ['limen-device-counter', '007', 'without leading zeros'],
      ['limen-device-counter', '9007199254740992', 'whole number from 1 to 2^53'],
      ['limen-device-signature', undefined, 'is missing'],
      ['limen-device-signature', `${'A'.repeat(94)}==`, '86 characters of base64url, not DER'],
    ];
    for (const [name, value, words] of wrong) {
      const alter = ({ [name]: _replaced, ...headers }: Record<string, string>) =>
        value === undefined ? headers : { ...headers, [name]: value };
      const reply = await device.call('POST', id, 'cancel', { body: {}, alter });
      expect(reply).toMatchObject({ status: 401, error: 'invalid_signature' });
      expect(reply.body.message).toContain(`The header ${name} `);
      expect(reply.body.message).toContain(words);
    }
    expect((await device.view(id)).body.state).toBe('opened');
  });

  it('are invalid for another session, operation or time', async () => {
    const [one, two] = [await claimSession(room), await claimSession(room)];
    const body = Buffer.from('{}');
    const headers = await one.device.headersFor('POST', one.id, 'cancel', body);
    const send = (id: string, operation: string) =>
      room.app.http.inject({
        method: 'POST',
        url: `/device/sessions/${id}/${operation}`,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: body,
      });
    expect((await send(two.id, 'cancel')).statusCode).toBe(401);
    expect((await send(one.id, 'handoff')).statusCode).toBe(401);
    expect((await one.device.handoff(one.id)).status).toBe(200);
    const stale = await send(one.id, 'cancel'); // intercepted and delayed
    expect([stale.statusCode, stale.headers['x-error-code'], stale.headers['limen-device-counter']]).toEqual([
      409,
      'stale_counter',
      '3',
    ]);
    expect((await one.device.view(one.id)).body.state).toBe('opened');
  });

  it('carry a counter that changes use up and reads do not', async () => {
    const { id, device } = await claimSession(room);
    const body = { began: BEGAN };
    const call = (operation: string, counter: number) => device.call('POST', id, operation, { body, counter });
    expect((await call('handoff', 100)).status).toBe(200);
    expect((await call('handoff', 100)).error).toBe('stale_counter');
    expect((await device.call('POST', id, 'claim', { body: { publicKey: device.key }, counter: 100 })).status).toBe(
      409,
    );
    expect((await device.call('GET', id, '', { counter: 100 })).status).toBe(200);
    expect((await device.call('GET', id, '', { counter: 100 })).status).toBe(200);
    expect((await device.call('GET', id, '', { counter: 99 })).error).toBe('stale_counter');
    expect((await call('handoff', Number.MAX_SAFE_INTEGER)).status).toBe(200);
  });
});
