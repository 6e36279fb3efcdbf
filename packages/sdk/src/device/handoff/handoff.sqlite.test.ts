// A session handed from one client to another by the real service: carried findings, and the return
// code.
import { expect, it } from 'vitest';
import { BEGAN } from '../../../testing/device-client.ts';
import { createLossyFetch, startLiveService } from '../../../testing/live-service.ts';
import { recordMovements } from '../../../testing/record-movements.ts';
import { rejectionOf } from '../../../testing/scripted-client.ts';
import { createDeviceClient, type DeviceClient, type DeviceClientOptions, parseLaunchUrl } from '../../device.ts';

const FACE = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'declined' } } as const;
const embedding = Float32Array.from({ length: 512 }, (_, index) => Math.cos(index));

async function connect() {
  const { app, url, connect: toService } = await startLiveService();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', label: 'Wine shop', clientCredentials: false });
  const open = (launchUrl: string, options: Partial<DeviceClientOptions> = {}) => {
    const { sessionId } = parseLaunchUrl(launchUrl) ?? expect.unreachable();
    return createDeviceClient({ baseUrl: url, sessionId, sleep: async () => {}, ...options });
  };
  return { limen: toService({ apiKey }), open };
}

async function showFace(device: DeviceClient): Promise<void> {
  const [face] = (await device.claim()).steps;
  await device.record('started', 0);
  await recordMovements(device, face);
  await device.record('finished', 0);
}

async function startBoth() {
  const { limen, open } = await connect();
  const redirectUrl = 'https://shop.example/back?nonce=1';
  const created = await limen.ageSessions.create({ requirements: ['face', 'identity_document'], redirectUrl });
  const computer = await open(created.launchUrl);
  await showFace(computer);
  const handoff = await computer.handoff({ began: BEGAN, findings: { ...FACE, indicators: null, embedding } });
  return { limen, open, ...created, computer, handoff };
}

it('does not ask for the face again on the second device, although every reply is lost once', async () => {
  const { limen, open, token, computer, handoff } = await startBoth();
  expect(handoff.carried).toEqual([0]);
  const { code = '', boxKey } = parseLaunchUrl(handoff.url) ?? expect.unreachable();
  const phone = await open(handoff.url, { fetch: createLossyFetch() });
  const look = await phone.look(code);
  expect(look).toMatchObject({ requester: 'Wine shop', redirectOrigin: 'https://shop.example', began: BEGAN });
  expect(look.choices).toContain(handoff.number);
  const plan = await phone.claim({ code, number: handoff.number, boxKey });
  expect(plan.carried).toEqual([0]);
  expect(phone.carried()).toEqual({ steps: [0], findings: { ...FACE, indicators: null, embedding } });
  await phone.record('carried', 0);
  await phone.record('started', 1);
  const { face } = phone.carried()?.findings ?? {};
  const { end } = await phone.submit(
    {
      ...(face && { face }),
      document: {
        thresholdResult: 'AGE_ABOVE_THRESHOLD',
        matchScore: 0.9,
        type: 'passport',
        country: 'SWE',
        signs: [],
        verifiedAt: `${(await phone.view()).serverTime.slice(0, 19)}Z`,
      },
    },
    { finish: 1 },
  );
  expect(end).toMatchObject({ flowStatus: 'COMPLETED', errors: [], redirectUrl: expect.any(String) });
  expect((await computer.view()).end?.redirectUrl).toBe(end?.redirectUrl);
  const { result, riskEvaluation } = await limen.ageSessions.result(token);
  expect(result).toMatchObject({ faceMatch: true });
  expect(riskEvaluation?.flags).toContain('CROSS_DEVICE');
});

it('voids a declined code and notifies the first device, although the reply is lost once', async () => {
  const { open, computer, handoff } = await startBoth();
  const { code = '' } = parseLaunchUrl(handoff.url) ?? expect.unreachable();
  const phone = await open(handoff.url, { fetch: createLossyFetch() });
  expect(await phone.decline(code)).toBeUndefined();
  expect(await computer.view()).toMatchObject({ role: 'active', handoffDeclined: true });
  const stranger = await open(handoff.url);
  const tries = [
    () => stranger.look(code),
    () => stranger.claim({ code, number: handoff.number }),
    () => stranger.decline(code),
  ];
  for (const attempt of tries) {
    await expect(attempt()).rejects.toMatchObject({ code: 'handoff_code_refused' });
  }
});

it('carries nothing and skips no step without the right key', async () => {
  for (const boxKey of [undefined, 'AAAAAAAAAAAAAAAAAAAAAA']) {
    const { open, handoff } = await startBoth();
    const phone = await open(handoff.url);
    await phone.claim({ code: handoff.code, number: handoff.number, boxKey });
    expect(phone.carried()).toBe(undefined);
    // Repeating the step is allowed.
    await showFace(phone);
    expect((await phone.view()).progress).toEqual({ step: 0, challengesDone: 3 });
  }
});

it('refuses to record uncarried steps as carried, before sending', async () => {
  const { open, computer } = await startBoth();
  const { url, code, number, carried } = await computer.handoff({ began: BEGAN });
  expect(carried).toEqual([]);
  const phone = await open(url);
  await phone.claim({ code, number });
  expect(await rejectionOf(phone.record('carried', 0))).toBeInstanceOf(TypeError);
});

it('redirects the first device only with the other one’s code', async () => {
  const { limen, open } = await connect();
  const { launchUrl, sessionId } = await limen.verificationSessions.create({
    type: 'SIGN-IN',
    locale: 'en',
    redirectURL: 'https://shop.example/done?nonce=2',
    callback: { url: 'http://127.0.0.1:1/hook' },
  });
  const computer = await open(launchUrl, { fetch: createLossyFetch() });
  await computer.claim();
  const { url, code, number } = await computer.handoff({ began: BEGAN });
  const phone = await open(url);
  await phone.claim({ code, number });
  await limen.verificationSessions.simulate(sessionId, { outcome: 'success' }); // replaces the person
  const { returnCode = '' } = (await phone.view()).end ?? {};
  const wrong = returnCode === '000000' ? '111111' : '000000';
  expect(await rejectionOf(computer.sendReturnCode(wrong))).toMatchObject({ code: 'return_code_refused' });
  // The reply was lost and the request resent, which is not counted.
  expect((await computer.view()).end).toEqual({ flowStatus: 'COMPLETED', errors: [], returnCodeTriesLeft: 2 });
  const { end } = await computer.sendReturnCode(returnCode);
  expect(end?.redirectUrl).toBe('https://shop.example/done?nonce=2');
  expect((await phone.view()).end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
});
