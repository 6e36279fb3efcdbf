// A session that goes from one client to another against the real service: what comes along, and the code that goes back.
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

it('a face that was shown to the first device is not shown again, although every reply gets lost once', async () => {
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

it('a code that the person declines is void, although the reply gets lost once, and the first device is told', async () => {
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

it('without the key of the address, or with another, nothing has come along, and no step can be left out', async () => {
  for (const boxKey of [undefined, 'AAAAAAAAAAAAAAAAAAAAAA']) {
    const { open, handoff } = await startBoth();
    const phone = await open(handoff.url);
    await phone.claim({ code: handoff.code, number: handoff.number, boxKey });
    expect(phone.carried()).toBe(undefined);
    // It may be done anew all the same.
    await showFace(phone);
    expect((await phone.view()).progress).toEqual({ step: 0, challengesDone: 3 });
  }
});

it('refuses to record as carried what did not come along, before it is sent', async () => {
  const { open, computer } = await startBoth();
  const { url, code, number, carried } = await computer.handoff({ began: BEGAN });
  expect(carried).toEqual([]);
  const phone = await open(url);
  await phone.claim({ code, number });
  expect(await rejectionOf(phone.record('carried', 0))).toBeInstanceOf(TypeError);
});

it('the device that began is sent on with the code of the other one, and with no other', async () => {
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
  await limen.verificationSessions.simulate(sessionId, { outcome: 'success' }); // stands for the person
  const { returnCode = '' } = (await phone.view()).end ?? {};
  const wrong = returnCode === '000000' ? '111111' : '000000';
  expect(await rejectionOf(computer.sendReturnCode(wrong))).toMatchObject({ code: 'return_code_refused' });
  // Its reply was lost and it was sent again, which is not counted.
  expect((await computer.view()).end).toEqual({ flowStatus: 'COMPLETED', errors: [], returnCodeTriesLeft: 2 });
  const { end } = await computer.sendReturnCode(returnCode);
  expect(end?.redirectUrl).toBe('https://shop.example/done?nonce=2');
  expect((await phone.view()).end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
});
