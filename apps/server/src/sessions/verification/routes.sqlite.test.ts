// Host API of verification sessions: exact replies, refusals, results, test mode, redaction.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  capture,
  createBody,
  newVerificationHost,
  PAGE_ORIGIN,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';
import { startTestApp } from '#testing/test-app.ts';

const room = useVerificationApp();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PATH = '/v2/verification-session';
let host: VerificationHost;

beforeAll(async () => {
  host = await newVerificationHost(room);
});

describe('creation', () => {
  it.each(['ENROLL', 'SIGN-IN'])('answers 201 with exactly launchUrl and sessionId: %s', async (type) => {
    const { status, body } = await host.create(createBody(type));
    expect(status).toBe(201);
    expect(body).toEqual({
      launchUrl: `${PAGE_ORIGIN}/launch?sessionId=${body.sessionId}`,
      sessionId: expect.stringMatching(UUID),
    });
    expect((await host.result(body.sessionId)).body).toEqual({ sessionId: body.sessionId, type, status: 'PENDING' });
  });

  it('refuses a passkey if the page has no host name, and names the setting', async () => {
    const app = await startTestApp({ environment: { SERVE: 'core,launch', PUBLIC_URL: 'http://127.0.0.1:9090' } });
    const inNumbers = await newVerificationHost({ app });
    const wanted = { ...createBody('ENROLL'), requirements: ['face', 'passkey'] };
    const refused = await inNumbers.create(wanted);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'body.requirements' }] } });
    expect(refused.text).toContain('PUBLIC_URL=http://localhost:9090)');
    expect(refused.text).toContain('PASSKEY_RP_ID and PASSKEY_ORIGIN');
    expect((await inNumbers.create({ ...wanted, requirements: ['face'] })).status).toBe(201);
    expect((await host.create(wanted)).status).toBe(201);
  });

  it('accepts a passkey by default, because the page has a host name', async () => {
    const app = await startTestApp({ environment: { SERVE: 'core,launch' } });
    const asInstalled = await newVerificationHost({ app });
    const { status, body } = await asInstalled.create({ ...createBody('ENROLL'), requirements: ['face', 'passkey'] });
    expect(status).toBe(201);
    expect(new URL(body.launchUrl).hostname).toBe('localhost');
  });

  it('accepts every documented field and ignores unknown ones', async () => {
    const { status, body } = await host.create({
      ...createBody('ENROLL'),
      callback: { url: 'https://shop.example/hook', headers: { authorization: 'Bearer x' } },
      locale: 'pt_BR',
      enableDesktop: true,
      sendImages: true,
      estimateAge: true,
      transactionID: 'order-1',
      deviceInfo: { os: 'Android 15', model: 'Pixel', resolution: '1080x2400', battery: 5 },
      debugMode: true,
      requirements: ['passkey', 'face', 'identity_document'],
      sessionExpiry: 60,
      light: 'required',
      contact: ['email', 'phone'],
      somethingElse: true,
    });
    expect(status).toBe(201);
    const { device, plan } = await capture(room, body.sessionId);
    expect((await device.view(body.sessionId)).body).toMatchObject({
      locale: 'pt-BR',
      enableDesktop: true,
      debugLevel: 1,
      expiresAt: new Date(room.clock.now() + 60_000).toISOString(),
      asks: {
        requester: 'Wine shop',
        operation: 'ENROLL',
        mayAskForDocument: false,
        sendsAge: true,
        sharesSelfie: true,
        contact: ['email', 'phone'],
        passkey: true,
        steps: ['face', 'identity_document', 'contact', 'passkey'],
      },
    });
    expect(plan.steps).toEqual([
      {
        step: 'face',
        when: 'always',
        report: 'age',
        ageThreshold: 0,
        challenges: expect.any(Array),
        challengeMs: 15_000,
        light: { attempts: expect.any(Array), required: true },
        cameraRequest: { after: expect.any(Number) },
      },
      { step: 'identity_document', when: 'always', report: 'none', ageThreshold: 0, fromFile: false },
      {
        step: 'token',
        when: 'always',
        operation: 'ENROLL',
        sendsSelfie: true,
        gallery: expect.stringMatching(UUID),
        modelId: expect.stringMatching(/^[\w-]{22}$/),
      },
      { step: 'contact', when: 'always', fields: ['email', 'phone'] },
      { step: 'passkey', when: 'always', operation: 'register' },
    ]);
    expect((await host.result(body.sessionId)).body).toMatchObject({ status: 'PENDING', transactionId: 'order-1' });
  });

  it('plans the passkey before the token for a sign-in, and requests nothing extra', async () => {
    const signIn = await capture(room, await host.start('SIGN-IN', { requirements: ['face', 'passkey'] }));
    expect(signIn.plan.steps.map(({ step }) => step)).toEqual(['face', 'passkey', 'token']);
    expect(signIn.plan.steps[1]).toEqual({ step: 'passkey', when: 'always', operation: 'assert' });
    const verify = await capture(room, await host.start('VERIFY', { userId: 'somebody', estimateAge: true }));
    expect(verify.plan.steps).toMatchObject([
      { step: 'face', report: 'none' },
      { step: 'token', sendsSelfie: false },
    ]);
    expect((await verify.device.view(verify.id)).body.asks).toMatchObject({ operation: 'VERIFY', sendsAge: false });
    expect((await verify.device.view(verify.id)).body).not.toHaveProperty('debugLevel');
  });

  it.each<[string, object, string]>([
    ['no type', { type: undefined }, 'body.type'],
    ['another type', { type: 'LOGIN' }, 'body.type'],
    ['no redirectURL', { redirectURL: undefined }, 'body.redirectURL'],
    ['a redirectURL that runs code', { redirectURL: 'javascript:alert(1)' }, 'body.redirectURL'],
    ['no callback', { callback: undefined }, 'body.callback'],
    ['no callback.url', { callback: {} }, 'body.callback.url'],
    ['a callback.url of another scheme', { callback: { url: 'ftp://shop.example' } }, 'body.callback.url'],
    [
      'a line break in a callback header',
      { callback: { url: 'https://a.example', headers: { a: 'b\r\nc: d' } } },
      'body.callback.headers',
    ],
    ['no locale', { locale: undefined }, 'body.locale'],
    ['a malformed locale', { locale: 'english language' }, 'body.locale'],
    ['a number for a locale', { locale: 5 }, 'body.locale'],
    ['a text for enableDesktop', { enableDesktop: 'true' }, 'body.enableDesktop'],
    ['a number for sendImages', { sendImages: 1 }, 'body.sendImages'],
    ['a text for estimateAge', { estimateAge: 'yes' }, 'body.estimateAge'],
    ['a number for transactionID', { transactionID: 7 }, 'body.transactionID'],
    ['a text for deviceInfo', { deviceInfo: 'Android' }, 'body.deviceInfo'],
    ['a number for deviceInfo.os', { deviceInfo: { os: 15 } }, 'body.deviceInfo.os'],
    ['a debug level that there is not', { debugMode: ['4'] }, 'body.debugMode'],
    ['a number for debugMode', { debugMode: 2 }, 'body.debugMode'],
    ['no requirements', { requirements: [] }, 'body.requirements'],
    ['requirements without a face', { requirements: ['passkey'] }, 'body.requirements'],
    ['the same requirement twice', { requirements: ['face', 'face'] }, 'body.requirements'],
    ['an unknown requirement', { requirements: ['face', 'iris'] }, 'body.requirements'],
    ['a document for SIGN-IN', { requirements: ['face', 'identity_document'] }, 'body.requirements'],
    ['a sessionExpiry of nothing', { sessionExpiry: 0 }, 'body.sessionExpiry'],
    ['a sessionExpiry of more than a day', { sessionExpiry: 86_401 }, 'body.sessionExpiry'],
    ['a sessionExpiry that is no time', { sessionExpiry: 'tomorrow' }, 'body.sessionExpiry'],
    ['a sessionExpiry that is a date', { sessionExpiry: '2026-01-01' }, 'body.sessionExpiry'],
    ['a sessionExpiry in digits', { sessionExpiry: '60' }, 'body.sessionExpiry'],
    ['a sessionExpiry that is over', { sessionExpiry: '2025-12-31T23:59:59Z' }, 'body.sessionExpiry'],
    ['a sessionExpiry in two days', { sessionExpiry: '2026-01-03T00:00:00Z' }, 'body.sessionExpiry'],
    ['contact for SIGN-IN', { contact: ['email'] }, 'body.contact'],
    ['an unknown contact', { contact: ['fax'] }, 'body.contact'],
  ])('refuses %s with 400 and its path', async (_what, change, path) => {
    const { status, body } = await host.create({ ...createBody('SIGN-IN'), ...change });
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(body.details?.some((detail) => detail.path.startsWith(path))).toBe(true);
  });

  it('requires a userId for VERIFY, and a locale', async () => {
    const { userId: _, ...body } = { ...createBody('VERIFY'), userId: 'x' };
    expect((await host.create(body)).body.details).toMatchObject([{ path: 'body.userId' }]);
    expect((await host.create({ ...body, userId: 'x' })).status).toBe(201);
    expect((await host.create({ ...body, userId: 'x', locale: undefined })).status).toBe(400);
  });

  it.each([
    [90, 90_000],
    [0.999 + 0.001, 1_000],
    ['2026-01-01T06:00:00Z', 6 * 3_600_000],
    ['2026-01-01T06:00:00.250+01:00', 5 * 3_600_000 + 250],
    ['2026-01-01T06:00', 6 * 3_600_000],
  ])('ends a session at its sessionExpiry: %s', async (sessionExpiry, afterMs) => {
    const id = await host.start('SIGN-IN', { sessionExpiry });
    const { device } = await capture(room, id);
    const start = Date.UTC(2026, 0, 1);
    expect((await device.view(id)).body.expiresAt).toBe(new Date(start + afterMs).toISOString());
  });

  it.each([
    [false, undefined],
    [true, 1],
    [[], undefined],
    [['1'], 1],
    [['3', '1'], 3],
  ])("sets the page's log level: debugMode %j", async (debugMode, level) => {
    const { device, id } = await capture(room, await host.start('SIGN-IN', { debugMode }));
    expect((await device.view(id)).body.debugLevel).toBe(level);
  });

  it('sends the page of a live session none of the figures of level 3', async () => {
    const live = await newVerificationHost(room, 'live');
    for (const [debugMode, level] of [[['3'], 2] as const, [['2'], 2] as const, [true, 1] as const]) {
      const { device, id } = await capture(room, await live.start('ENROLL', { debugMode }));
      expect((await device.view(id)).body.debugLevel).toBe(level);
    }
  });

  it('writes debug lines with session and request ids, even for concurrent sessions', async () => {
    const debugged = await Promise.all(
      [1, 2, 3].map(async () => {
        const session = await capture(room, await host.start('ENROLL', { debugMode: ['3'] }));
        await session.reach('token');
        return session;
      }),
    );
    const replies = await Promise.all(debugged.map((session) => session.challenge()));
    const lines = room.app
      .logged()
      .split('\n')
      .filter((line) => line.includes('a challenge was opened'))
      .map((line) => JSON.parse(line) as { sessionId: string; requestId: string });
    for (const [at, { id }] of debugged.entries()) {
      const requestId = replies[at]!.headers['x-request-id'];
      expect(lines.filter(({ sessionId }) => sessionId === id)).toMatchObject([{ requestId, type: 'ENROLL' }]);
    }
  });

  it('repeats the reply for an Idempotency-Key, and refuses it with another body', async () => {
    const headers = { 'idempotency-key': 'enrol-1' };
    const first = await host.create(createBody('ENROLL'), headers);
    expect(await host.create(createBody('ENROLL'), headers)).toMatchObject({ status: 201, text: first.text });
    expect((await host.create(createBody('SIGN-IN'), headers)).status).toBe(422);
    await host.call('DELETE', `${PATH}/${first.body.sessionId}`);
    expect((await host.create(createBody('SIGN-IN'), headers)).status).toBe(201);
  });
});

describe('access to sessions', () => {
  const inject = (headers: Record<string, string>, method: 'GET' | 'POST' | 'DELETE' = 'POST', url = PATH) =>
    room.app.http.inject({ method, url, headers, ...(method === 'POST' && { payload: createBody('ENROLL') }) });

  it('answers a missing or unknown key with the documented 401', async () => {
    for (const headers of [{}, { 'x-api-key': 'nonsense' }]) {
      const reply = await inject(headers);
      expect(reply.json()).toMatchObject({ statusCode: 401, message: 'Invalid API key' });
    }
    const id = await host.start('ENROLL');
    for (const [method, end] of [
      ['GET', '/result'],
      ['DELETE', ''],
      ['POST', '/simulate'],
    ] as const) {
      expect((await inject({}, method, `${PATH}/${id}${end}`)).statusCode).toBe(401);
    }
  });

  it('requires the client credentials of keys that have them', async () => {
    const { apiKey, clientId, clientSecret } = await room.app.apiKeys.create({ kind: 'test', clientCredentials: true });
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const key = { 'x-api-key': apiKey };
    for (const wrong of [
      ...[{}, basic(`${clientId}:`), basic(`${clientId}:${clientSecret}x`), basic(`x:${clientSecret}`)],
      ...[basic('no colon'), { authorization: 'Basic ' }, { authorization: `Bearer ${clientSecret}` }],
    ]) {
      const reply = await inject({ ...key, ...wrong });
      expect(reply.json()).toMatchObject({ statusCode: 401, message: 'Invalid client credentials' });
      expect(reply.headers['www-authenticate']).toMatch(/^Basic /);
    }
    const right = { ...key, ...basic(`${clientId}:${clientSecret}`) };
    const created = await inject(right);
    expect(created.statusCode).toBe(201);
    const { sessionId } = created.json<{ sessionId: string }>();
    expect((await inject(key, 'GET', `${PATH}/${sessionId}/result`)).statusCode).toBe(401);
    expect((await inject(right, 'GET', `${PATH}/${sessionId}/result`)).statusCode).toBe(200);
    expect(room.app.logged()).not.toContain(clientSecret);
  });

  it('answers 404 alike for a foreign and a missing session', async () => {
    const stranger = await newVerificationHost(room);
    const id = await host.start('ENROLL');
    const none = crypto.randomUUID();
    for (const [method, end, payload] of [
      ['GET', '/result', undefined],
      ['DELETE', '', undefined],
      ['POST', '/simulate', { outcome: 'success' }],
    ] as const) {
      const [of, missing, nonsense] = await Promise.all(
        [id, none, 'nonsense'].map((one) => stranger.call<object>(method, `${PATH}/${one}${end}`, payload)),
      );
      expect(of).toMatchObject({ status: 404 });
      expect(of?.body.message).toBe(missing?.body.message);
      expect(nonsense?.status).toBe(404);
    }
    expect((await host.result(id)).status).toBe(200);
  });
});

describe('redaction', () => {
  it('deletes the session immediately, and its device gets 404', async () => {
    const id = await host.start('ENROLL');
    const { device } = await capture(room, id);
    expect(await host.call('DELETE', `${PATH}/${id}`)).toMatchObject({ status: 204, text: '' });
    expect((await host.result(id)).status).toBe(404);
    expect((await host.call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect((await device.view(id)).status).toBe(404);
  });
});

describe('a session of one kind', () => {
  it('is not found by the calls of another', async () => {
    const id = await host.start('ENROLL');
    const created = await host.call<{ token: string; launchUrl: string }>('POST', '/session', {});
    const age = new URL(created.body.launchUrl).searchParams.get('sessionId')!;
    expect((await host.result(age)).status).toBe(404);
    expect((await host.call('GET', `/session/${id}/result`)).status).toBe(404);
    const { device } = await capture(room, age);
    for (const operation of ['token/challenge', 'passkey/options']) {
      expect((await device.call('POST', age, operation, { body: {} })).status).toBe(404);
    }
  });
});
