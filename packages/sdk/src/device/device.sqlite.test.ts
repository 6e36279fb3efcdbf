// The complete journey on each database: a host creates a session, a device follows its plan, the
// host gets the result.
import { describe, expect, it } from 'vitest';
import { BEGAN } from '../../testing/device-client.ts';
import { createLossyFetch, startLiveService } from '../../testing/live-service.ts';
import { recordMovements } from '../../testing/record-movements.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';
import {
  createDeviceClient,
  createMemoryKeys,
  type DeviceClient,
  type DeviceClientOptions,
  type DevicePlan,
  type DeviceView,
  type DocumentSign,
  parseLaunchUrl,
} from '../device.ts';
import type { CreateAgeSessionRequest } from '../index.ts';

const ABOVE = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'declined' } } as const;

async function start(request: CreateAgeSessionRequest = {}) {
  const { app, url, connect } = await startLiveService();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const limen = connect({ apiKey });
  const receiver = await startWebhookReceiver(apiKey);
  const { token, launchUrl } = await limen.ageSessions.create({ callback: { url: receiver.url }, ...request });
  const { sessionId } = parseLaunchUrl(launchUrl) ?? expect.unreachable();
  const open = (options: Partial<DeviceClientOptions> = {}) =>
    createDeviceClient({ baseUrl: url, sessionId, sleep: async () => {}, ...options });
  const sendWebhooks = async () => {
    while ((await app.jobs.runDue()) > 0);
  };
  return { limen, receiver, token, sessionId, open, sendWebhooks };
}

/** Completes the steps at these positions immediately, declining the light. */
async function followPlan(device: DeviceClient, { steps }: DevicePlan, due: number[]): Promise<void> {
  for (const position of due) {
    await device.record('started', position);
    await recordMovements(device, steps[position]);
    await device.record('finished', position);
  }
}

describe('the journey', () => {
  it('ends with a signed webhook and the same result by GET', async () => {
    const { limen, receiver, token, sessionId, open, sendWebhooks } = await start({ metadata: { order: 7 } });
    const device = await open();
    expect(await device.view()).toMatchObject({ sessionId, state: 'created', role: 'none' });
    const plan = await device.claim();
    expect(plan).toMatchObject({ version: 1, sessionId, modelManifest: null, steps: [{ step: 'face' }] });
    expect(await device.view()).toMatchObject({ state: 'opened', role: 'active' });
    await followPlan(device, plan, [0]);
    expect(await device.view()).toMatchObject({ state: 'capturing', progress: { step: 0, challengesDone: 3 } });

    const indicators = { headless: [], virtualCamera: [], browserAnomalies: [] };
    const view = await device.submit({ ...ABOVE, indicators });
    expect(view).toMatchObject({ state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } });
    await sendWebhooks();
    const { metadataText, ...result } = await limen.ageSessions.result(token);
    expect(result).toMatchObject({
      token,
      sessionId,
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      flowStatus: 'COMPLETED',
      metadata: { order: 7 },
      errors: [],
      riskEvaluation: { signals: { browser: { score: 0 } } },
    });
    expect(result.riskEvaluation?.signals.behavioral).not.toBeNull();
    expect(receiver.webhooks.map(({ body }) => body)).toEqual([result]);
    expect(receiver.webhooks[0]).toMatchObject({ metadataText });
  });

  it('continues with the document if the face is below the threshold', async () => {
    const { limen, token, open } = await start({ stepUpEnabled: true });
    const device = await open();
    const plan = await device.claim();
    expect(plan.steps.map(({ step, when }) => [step, when])).toEqual([
      ['face', 'always'],
      ['identity_document', 'face_below_threshold'],
    ]);
    await followPlan(device, plan, [0, 1]);
    await device.submit({
      face: { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD', light: 'declined' },
      document: { ...passport(), thresholdResult: 'AGE_AT_THRESHOLD', signs: ['screen'] },
      indicators: { headless: [], virtualCamera: [], browserAnomalies: [] },
    });
    const { sessionStatus, result, riskEvaluation } = await limen.ageSessions.result(token);
    expect(sessionStatus).toBe('AGE_AT_THRESHOLD');
    const verifiedAt = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    expect(result).toEqual({
      confidenceScore: 0.9,
      faceMatch: true,
      document: { type: 'passport', country: 'SWE', verifiedAt },
      documentAge: { thresholdResult: 'AGE_AT_THRESHOLD' },
      facialAgeEstimation: { thresholdResult: 'AGE_BELOW_THRESHOLD' },
    });
    expect(riskEvaluation?.signals.behavioral?.flags).toContain('DOCUMENT_ON_SCREEN');
    expect(riskEvaluation?.signals.browser?.score).toBe(0);
  });

  it('restarts the first step after a reload in the second, because its findings were lost', async () => {
    const { limen, token, open } = await start({ requirements: ['face', 'identity_document'] });
    const keys = createMemoryKeys();
    const before = await open({ keys });
    const plan = await before.claim();
    await followPlan(before, plan, [0]);
    await before.record('started', 1);

    const after = await open({ keys });
    expect(await after.claim()).toEqual(plan);
    await after.record('retried', 0);
    expect(await after.view()).toMatchObject({ progress: { step: 0, challengesDone: 0 } });
    await recordMovements(after, plan.steps[0]);
    await after.record('finished', 0);
    await after.record('started', 1);
    await after.submit(
      { ...ABOVE, document: { ...passport(), thresholdResult: 'AGE_BELOW_THRESHOLD' } },
      { finish: 1 },
    );
    expect((await limen.ageSessions.result(token)).sessionStatus).toBe('AGE_BELOW_THRESHOLD');
  });

  it('survives a lost reply to every call', async () => {
    const { limen, receiver, token, open, sendWebhooks } = await start();
    const device = await open({ fetch: loseFirstReplies() });
    const plan = await device.claim();
    await followPlan(device, plan, [0]);
    expect((await device.submit(ABOVE)).end?.flowStatus).toBe('COMPLETED');
    await sendWebhooks();
    expect((await limen.ageSessions.result(token)).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
    expect(receiver.webhooks).toHaveLength(1);
  });

  it('continues after a reload with the same plan and log', async () => {
    const { limen, token, open } = await start();
    const keys = createMemoryKeys();
    const before = await open({ keys });
    const plan = await before.claim();
    await before.record('started', 0);
    await before.record('shown', 0);
    await before.record('retried', 0);

    const after = await open({ keys });
    expect(await after.claim()).toEqual(plan);
    expect(after.log()).toEqual(before.log());
    await after.record('retried', 0);
    await recordMovements(after, plan.steps[0]);
    await after.record('finished', 0);
    await after.submit(ABOVE);
    expect((await limen.ageSessions.result(token)).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
  });
});

describe('a handoff', () => {
  it('moves the session to a second device while the first one follows to the end', async () => {
    const { limen, token, sessionId, open } = await start();
    const first = await open();
    const firstPlan = await first.claim();
    await first.record('started', 0);
    const { url, code, number } = await first.handoff({ began: BEGAN });
    expect(parseLaunchUrl(url)).toEqual({ sessionId, code });

    const second = await open();
    expect(await rejectionOf(second.claim())).toMatchObject({ code: 'device_mismatch', sessionCode: -16 });
    const seen: DeviceView[] = [];
    const following = (async () => {
      for await (const view of first.follow()) seen.push(view);
    })();
    await expect.poll(() => seen.length).toBe(1);
    const plan = await second.claim({ code, number });
    expect(plan.nonce).not.toBe(firstPlan.nonce);
    expect(plan.steps).toEqual(firstPlan.steps.map((step) => ({ ...step, light: expect.any(Object) })));
    await followPlan(second, plan, [0]);
    await second.submit(ABOVE);
    await following;

    expect(seen.at(-1)).toMatchObject({ role: 'follower', state: 'completed', end: { flowStatus: 'COMPLETED' } });
    expect((await limen.ageSessions.result(token)).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
  });

  it('limits the first device to watching and excludes a third one', async () => {
    const { open } = await start();
    const [first, second, third] = [await open(), await open(), await open()];
    await first.claim();
    const { code, number } = await first.handoff({ began: BEGAN });
    await second.claim({ code, number });
    expect(await rejectionOf(first.record('started', 0).then(() => first.cancel()))).toMatchObject({
      status: 403,
      code: 'device_mismatch',
      sessionCode: -16,
    });
    const next = await second.handoff({ began: BEGAN });
    expect(await rejectionOf(third.claim({ code: next.code, number: next.number }))).toMatchObject({
      code: 'third_device',
      sessionCode: -16,
    });
  });
});

describe('ending without an answer', () => {
  it('cancels with a code that the host sees', async () => {
    const { limen, token, open } = await start();
    const device = await open({ fetch: createLossyFetch() });
    await device.claim();
    expect((await device.cancel(-7)).end).toEqual({ flowStatus: 'CANCELLED', errors: [-7] });
    expect(await limen.ageSessions.result(token)).toMatchObject({ flowStatus: 'CANCELLED', errors: [{ code: -7 }] });
    expect(await rejectionOf(device.handoff({ began: BEGAN }))).toMatchObject({ status: 409, code: 'session_ended' });
  });

  it('refuses a skipped step, ends the session and reports it', async () => {
    const { limen, token, open } = await start();
    const device = await open();
    await device.claim();
    await device.record('started', 0);
    await device.record('shown', 1);
    expect(await rejectionOf(device.record('retried', 0))).toMatchObject({
      status: 422,
      code: 'answer_refused',
      sessionCode: -22,
    });
    expect(await limen.ageSessions.result(token)).toMatchObject({
      flowStatus: 'CANCELLED',
      riskEvaluation: { recommendation: 'BLOCK' },
    });
  });
});

it('keeps its counter above that of another tab', async () => {
  const { open } = await start();
  const keys = createMemoryKeys();
  const slow = await open({ keys, now: () => 1_000 });
  await slow.claim();
  const fast = await open({ keys });
  await fast.claim();
  await slow.record('started', 0);
  expect(await slow.view()).toMatchObject({ state: 'capturing' });
});

it('rejects entries that conflict with another tab and continues from the stored log after a claim', async () => {
  const { limen, token, open } = await start();
  const keys = createMemoryKeys();
  const [tab, other] = [await open({ keys }), await open({ keys })];
  const plan = await tab.claim();
  await other.claim();
  await tab.record('started', 0);
  await tab.record('retried', 0);
  const started = other.record('started', 0);
  // If both happened in the same millisecond, there is no conflict yet.
  await started.catch(() => undefined);
  expect(await rejectionOf(other.record('retried', 0))).toMatchObject({ status: 409, code: 'log_conflict' });
  expect(await other.claim()).toEqual(plan);
  expect(other.log()).toEqual(tab.log());
  await recordMovements(other, plan.steps[0]);
  await other.record('finished', 0);
  await other.submit(ABOVE);
  expect((await limen.ageSessions.result(token)).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
});

/** As if read just now. */
function passport() {
  const verifiedAt = `${new Date().toISOString().slice(0, 19)}Z`;
  const signs: DocumentSign[] = [];
  return { matchScore: 0.9, type: 'passport' as const, country: 'SWE', verifiedAt, signs };
}

/** Executes every request and loses every second reply. */
function loseFirstReplies(): typeof fetch {
  let requests = 0;
  return async (input, init) => {
    const response = await fetch(input, init);
    requests += 1;
    if (requests % 2 === 0) return response;
    await response.body?.cancel();
    throw new TypeError('the connection broke');
  };
}
