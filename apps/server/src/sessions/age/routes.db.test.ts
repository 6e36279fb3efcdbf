// Age sessions over HTTP: creation, result, redaction and test mode.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, LAUNCH_URL, newHost, type SessionApp, startSessionApp, TTL_MS } from '#testing/session-app.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UNKNOWN_TOKEN = '00000000-0000-4000-8000-000000000000';

let app: SessionApp;
let dispose: () => Promise<void>;
beforeAll(async () => {
  app = await startSessionApp({
    atEnd(end) {
      dispose = end;
    },
  });
});
afterAll(() => dispose());

/** Stored states of a host's sessions. */
async function statesOf({ owner: { customer } }: Host): Promise<string[]> {
  const rows = await app.database.queries
    .selectFrom('sessions')
    .select('state')
    .where('customer', '=', customer)
    .execute();
  return rows.map(({ state }) => state);
}

describe('session routes', () => {
  it('treat a missing body as {}', async () => {
    const host = await newHost(app);
    for (const reply of [await host.create(), await host.create({})]) {
      expect(reply.status).toBe(201);
      const { token, launchUrl, expiresAt, ...rest } = reply.body;
      expect(rest).toEqual({});
      expect(token).toMatch(UUID);
      const sessionId = new URL(launchUrl).searchParams.get('sessionId');
      expect(sessionId).toMatch(UUID);
      expect(sessionId).not.toBe(token);
      expect(launchUrl).toBe(`${LAUNCH_URL}?sessionId=${sessionId}`);
      expect(expiresAt).toBe(new Date(app.clock.now() + TTL_MS).toISOString());
    }
    const typed = await app.http.inject({
      method: 'POST',
      url: '/session',
      headers: { 'x-api-key': host.apiKey, 'content-type': 'application/json' },
    });
    expect(typed.statusCode).toBe(201);
  });

  it('repeat the session for an Idempotency-Key until it is deleted, and answer 422 to another body', async () => {
    const host = await newHost(app);
    const headers = { 'idempotency-key': 'order-1' };
    const [one, two] = await Promise.all([
      host.create({ ageThreshold: 21 }, headers),
      host.create({ ageThreshold: 21 }, headers),
    ]);
    expect(two.body).toEqual(one.body);
    expect((await host.create({ ageThreshold: 20 }, headers)).status).toBe(422);
    await host.redact(one.body.token);
    const again = await host.create({ ageThreshold: 20 }, headers);
    expect(again.status).toBe(201);
    expect(again.body.token).not.toBe(one.body.token);
  });
});

it('answer 400 to every wrong type and value', async () => {
  const host = await newHost(app);
  const wrong: object[] = [
    { ageThreshold: '18' },
    { ageThreshold: 17.5 },
    { ageThreshold: 0 },
    { ageThreshold: 121 },
    { documentAgeThreshold: 0 },
    { faceMatchThreshold: 1.01 },
    { faceMatchThreshold: -0.01 },
    { requirements: [] },
    { requirements: ['face', 'face'] },
    { requirements: ['passport'] },
    { requirements: 'face' },
    { documentAgeReturnFormat: 'none' },
    { facialAgeEstimationReturnFormat: 'EXACT' },
    { enableDesktop: 'true' },
    { stepUpEnabled: 1 },
    { locale: 'not a locale' },
    { redirectUrl: 'javascript:alert(1)' },
    { callback: {} },
    { callback: { url: 'ftp://shop.example' } },
    { callback: { url: 'https://shop.example', headers: { a: 1 } } },
    { callback: { url: 'https://shop.example', headers: { a: 'x\r\ny: z' } } },
    { metadata: [] },
    { metadata: 'text' },
    { metadata: { note: 'x'.repeat(16 * 1024) } },
    [],
  ];
  for (const body of wrong) expect([(await host.create(body)).status, body]).toEqual([400, body]);
  const unknown = await host.create({ ageThreshold: 18, somethingElse: 1 });
  expect(unknown.status).toBe(201);
  expect(await statesOf(host)).toEqual(['created']);
});

it('answer 401 without a known key, and to an unknown key on a result', async () => {
  const host = await newHost(app);
  const { token } = (await host.create()).body;
  for (const [method, url] of [
    ['POST', '/session'],
    ['DELETE', `/session/${token}`],
    ['POST', `/session/${token}/simulate`],
  ] as const) {
    for (const headers of [{}, { 'x-api-key': 'nobody' }]) {
      const reply = await app.http.inject({ method, url, headers });
      expect(reply.statusCode).toBe(401);
      expect(reply.json()).toMatchObject({ statusCode: 401, message: 'Invalid API key' });
    }
  }
  const url = `/session/${token}/result`;
  expect((await app.http.inject({ url })).statusCode).toBe(200);
  expect((await app.http.inject({ url, headers: { 'x-api-key': 'nobody' } })).statusCode).toBe(401);
});

it('answer 404 to other customers, and serve a second key of the same customer', async () => {
  const host = await newHost(app, 'test', 'shop');
  const other = await newHost(app, 'test', 'another shop');
  const sibling = await newHost(app, 'test', 'shop');
  const { token } = (await host.create()).body;
  const sessionId = (await host.result(token)).body.sessionId;
  for (const reply of [
    await other.result(token),
    await other.redact(token),
    await other.simulate(token, { outcome: 'above' }),
    await host.result(UNKNOWN_TOKEN),
    await host.result(sessionId),
    await host.result('no-uuid'),
    await host.redact(UNKNOWN_TOKEN),
    await host.simulate(UNKNOWN_TOKEN, { outcome: 'above' }),
  ]) {
    expect(reply.status).toBe(404);
    expect(reply.text).toContain('There is no session with this token.');
  }
  expect((await sibling.result(token)).status).toBe(200);
  expect((await sibling.redact(token)).status).toBe(204);
});

it('answer 403 to a simulated live session, and 404 to a key of the other world', async () => {
  const live = await newHost(app, 'live', 'live shop');
  const test = await newHost(app, 'test', 'live shop');
  const development = await newHost(app, 'development', 'live shop');
  const [liveSession, testSession] = [(await live.create()).body.token, (await test.create()).body.token];
  expect((await live.simulate(liveSession, { outcome: 'above' })).status).toBe(403);
  expect((await test.simulate(liveSession, { outcome: 'above' })).status).toBe(404);
  expect((await live.simulate(testSession, { outcome: 'above' })).status).toBe(404);
  expect((await live.result(liveSession)).body.flowStatus).toBe(undefined);
  expect((await development.simulate(testSession, { outcome: 'above' })).status).toBe(200);
});

describe('the result', () => {
  const metadata = { order: 7, deep: { list: [1, null, 'é'], 'a.b': true } };

  it('has no flow status, result or risk before the end', async () => {
    const host = await newHost(app);
    const { token } = (await host.create({ ageThreshold: 21, faceMatchThreshold: 0.5, metadata })).body;
    const { body } = await host.result(token);
    expect(body).toEqual({
      token,
      sessionId: expect.stringMatching(UUID),
      sessionStatus: 'AGE_UNKNOWN',
      status: 'AGE_UNKNOWN',
      thresholds: { ageThreshold: 21, compareThreshold: 0.5, faceMatchThreshold: 0.5 },
      metadata,
      errors: [],
    });
  });

  it.each([
    { requirements: ['identity_document'], documentAgeThreshold: 16 },
    { ageThreshold: 25, documentAgeThreshold: 16, stepUpEnabled: true },
  ])('shows the document comparison if a document is or may be requested: %j', async (wanted) => {
    const host = await newHost(app);
    const { token } = (await host.create(wanted)).body;
    expect((await host.result(token)).body.thresholds).toMatchObject({ documentAgeThreshold: 16 });
    const { body } = await host.simulate(token, { outcome: 'document_failure' });
    expect(body).toMatchObject({ flowStatus: 'CANCELLED', thresholds: { documentAgeThreshold: 16 } });
    expect(body.errors).toEqual([{ code: -23, message: expect.any(String) }]);
  });

  it("equals the simulation's reply after the end, and a second end is refused", async () => {
    const host = await newHost(app);
    const { token } = (await host.create({ facialAgeEstimationReturnFormat: 'both', metadata })).body;
    const simulated = await host.simulate(token, { outcome: 'above', age: 31.5 });
    expect(simulated.status).toBe(200);
    expect(simulated.body).toEqual({
      token,
      sessionId: expect.stringMatching(UUID),
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      status: 'AGE_ABOVE_THRESHOLD',
      flowStatus: 'COMPLETED',
      result: {
        age: 31.5,
        facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: 31.5, lowerBound: 31.5 },
      },
      thresholds: { ageThreshold: 18, compareThreshold: 0.42, faceMatchThreshold: 0.42 },
      metadata,
      riskEvaluation: {
        score: 0,
        level: 'LOW',
        recommendation: 'ALLOW',
        flags: [],
        signals: { behavioral: { score: 0, flags: [] }, browser: { score: 0, flags: [] } },
      },
      errors: [],
    });
    const again = await host.simulate(token, { outcome: 'below' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('has ended');
    expect((await host.result(token)).body).toEqual(simulated.body);
  });

  it.each([
    ['spoof', 'COMPLETED', [{ code: 1, message: 'Image spoof' }]],
    ['camera_failure', 'CANCELLED', [{ code: -7, message: 'Camera failure' }]],
    ['cancelled', 'CANCELLED', []],
    ['expired', 'EXPIRED', [{ code: -8, message: 'Session expired' }]],
  ])('of %s reports it and never recommends ALLOW', async (outcome, flowStatus, errors) => {
    const host = await newHost(app);
    const { token } = (await host.create()).body;
    await host.simulate(token, { outcome });
    const { body } = await host.result(token);
    expect(body).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', status: 'AGE_UNKNOWN', flowStatus, errors });
    expect(body.riskEvaluation?.recommendation).not.toBe('ALLOW');
  });

  it('of a simulation has the requested flags and browser signals, and the resulting risk', async () => {
    const host = await newHost(app);
    const { token } = (await host.create({ requirements: ['face', 'identity_document'] })).body;
    const flags = ['HEADLESS_WEBDRIVER', 'DOCUMENT_ON_SCREEN'];
    const { body } = await host.simulate(token, {
      outcome: 'above',
      flags,
      indicators: { headless: { phantom: true } },
    });
    expect(body).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
    expect(body.indicators?.headless).toMatchObject({ webdriver: true, phantom: true, plugins: false });
    expect(body.riskEvaluation).toEqual({
      score: 89,
      level: 'CRITICAL',
      recommendation: 'BLOCK',
      flags: ['HEADLESS_WEBDRIVER', 'DOCUMENT_ON_SCREEN', 'HEADLESS_PHANTOM'],
      signals: {
        behavioral: { score: 25, flags: ['DOCUMENT_ON_SCREEN'] },
        browser: { score: 64, flags: ['HEADLESS_WEBDRIVER', 'HEADLESS_PHANTOM'] },
      },
    });
    expect((await host.result(token)).body).toEqual(body);
  });

  it('stays open after an impossible simulation, which gets 400', async () => {
    const host = await newHost(app);
    const { token } = (await host.create({ enableDesktop: true, handoff: 'refuse' })).body;
    for (const body of [
      ...[{}, { outcome: 'maybe' }, { outcome: 'face_mismatch' }, { outcome: 'above', age: 3 }],
      ...[
        { outcome: 'above', flags: ['NEW_DEVICE'] },
        { outcome: 'above', errorCode: -7 },
        { outcome: 'cancelled', errorCode: -23 },
        { outcome: 'cancelled', errorCode: -5 },
        { outcome: 'cancelled', age: 30 },
        { outcome: 'desktop' },
        { outcome: 'above', flags: ['CROSS_DEVICE'] },
        { outcome: 'above', flags: ['DOCUMENT_ON_SCREEN'] },
        { outcome: 'above', indicators: { headless: { webDriver: true } } },
      ],
    ]) {
      expect((await host.simulate(token, body)).status).toBe(400);
    }
    expect((await host.result(token)).body.flowStatus).toBe(undefined);
    expect(await statesOf(host)).toEqual(['created']);
  });
});

it('redacts immediately with 204, before and after the end, and never logs the token', async () => {
  const host = await newHost(app);
  for (const ended of [false, true]) {
    const { token } = (await host.create()).body;
    if (ended) await host.simulate(token, { outcome: 'above' });
    expect((await host.redact(token)).status).toBe(204);
    expect((await host.redact(token)).status).toBe(404);
    expect((await host.result(token)).status).toBe(404);
    expect(app.logged()).not.toContain(token);
  }
  expect(await statesOf(host)).toEqual([]);
});
