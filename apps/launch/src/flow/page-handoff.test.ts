import type { CarriedSteps, DeviceView, PlanStep } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../packages/sdk/testing/judge-log.ts';
import { ASKS, NUMBER, offline, REDIRECT, RETURN_CODE } from '../../testing/fakes/fake-device-client.ts';
import { DOCUMENT_STEP, findDocument } from '../../testing/fakes/fake-documents.ts';
import { FACE_STEP, settle } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import { GALLERY, MODEL_ID } from '../../testing/fakes/fake-people.ts';
import { GOOD } from '../../testing/fakes/fake-reports.ts';
import { act } from '../../testing/fakes/page-steps.ts';
import { CameraError } from '../camera/open-camera.ts';

const BOTH: PlanStep[] = [FACE_STEP, DOCUMENT_STEP];
const ABOVE = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } as const;
const SIGNS = { headless: ['webdriver'], virtualCamera: [], browserAnomalies: [] };
const HANDED: Partial<DeviceView> = { state: 'opened', role: 'none' };
/** Findings of the previous device. The fake camera's face has a similarity of 0.6. */
const carriedFace = (): CarriedSteps => ({
  steps: [0],
  findings: { face: ABOVE, embedding: Float32Array.of(0.6, 0.8), indicators: SIGNS },
});

async function openPhone(options: Parameters<typeof createFakePage>[0] = {}) {
  const page = createFakePage({ view: HANDED, code: 'secret', ...options });
  page.camera.allow();
  await page.open();
  await page.see('take_over');
  await settle();
  return page;
}

async function showDocument(page: FakePage, portrait: readonly number[]) {
  await act(page, 'document', () => page.actions.chooseDocument('passport'));
  await act(page, 'document_hold', page.actions.scanDocument);
  page.camera.put(findDocument({ embedding: Float32Array.from(portrait) }));
}

describe('the second device', () => {
  test('shows who asks, who started and when, and claims nothing before a number is chosen', async () => {
    const page = await openPhone();
    expect(page.screen()).toEqual({
      name: 'take_over',
      requester: 'Shop',
      redirectOrigin: 'https://shop.example',
      browser: 'Chrome',
      system: 'Windows',
      agoMs: 180_000,
      choices: ['17', '42', '83'],
      busy: false,
    });
    expect(page.client.calls).toEqual(['view', 'look secret']);
    expect(page.platform.pressBack()).toBe(false);
  });

  test('takes the session over with the right number and drops the code', async () => {
    const page = await openPhone();
    page.camera.put(...GOOD);
    page.actions.chooseNumber(NUMBER);
    await page.see('end', { how: 'done' });
    expect(page.client.calls.filter((call) => call.startsWith('claim'))).toEqual([`claim secret ${NUMBER}`]);
    expect(page.platform.fragmentsDropped).toBe(1);
  });

  test('is locked out after a wrong number', async () => {
    const page = await openPhone();
    page.actions.chooseNumber('17');
    await page.see('stopped', { why: 'other_number' });
    expect(page.camera.opened).toBe(0);
  });

  test('claims nothing for a person who did not start the check, and voids the code', async () => {
    const page = await openPhone();
    page.actions.chooseNumber(null);
    await page.see('stopped', { why: 'not_mine' });
    await settle();
    expect(page.client.calls).toEqual(['view', 'look secret', 'decline secret']);
  });

  test.each([
    ['is refused', () => Promise.reject(new Error('the code is old'))],
    ['has no answer for seconds', () => new Promise<never>(() => {})],
  ])('shows the same result to a person who did not start the check if the call %s', async (_, meeting) => {
    const page = await openPhone();
    page.client.meet('decline', meeting);
    page.actions.chooseNumber(null);
    await settle();
    page.platform.pass(5_000);
    await page.see('stopped', { why: 'not_mine' });
  });

  test('shows nothing of the check without a network, and asks once it is back', async () => {
    const page = createFakePage({ view: HANDED, code: 'secret' });
    page.client.meet('look', offline());
    await page.open();
    await page.see('working', { offline: true, canCancel: false });
    page.platform.comeOnline();
    await page.see('take_over');
  });

  test('may be the device that handed the session off', async () => {
    const page = await openPhone({ view: { ...HANDED, role: 'follower' } });
    page.actions.chooseNumber(NUMBER);
    await page.see('capture');
  });

  test('continues after a reload with its code still in the address', async () => {
    const page = createFakePage({ view: { state: 'capturing', role: 'active' }, code: 'secret' });
    await page.open();
    expect(page.screen()).toMatchObject({ name: 'welcome', resumes: true });
    expect(page.client.calls).toEqual(['view']);
  });
});

describe('what the first device has found', () => {
  test('is not repeated; the second device compares the face with the document', async () => {
    const carried = carriedFace();
    const page = await openPhone({ plan: { steps: BOTH, carried: [0] }, carried });
    page.actions.chooseNumber(NUMBER);
    await showDocument(page, [1, 0]);
    await page.see('end', { how: 'done' });
    expect(page.names()).not.toContain('capture');
    expect(page.client.submitted).toMatchObject([{ face: ABOVE, document: { matchScore: 0.6 }, indicators: SIGNS }]);
    const log = page.client.log();
    expect(log.slice(0, 2).map(([event, index]) => `${event} ${index}`)).toEqual(['carried 0', 'started 1']);
    expect([...carried.findings.embedding!]).toEqual([0, 0]);
  });

  test('may be a document, whose portrait the second device compares with the face', async () => {
    const document = {
      thresholdResult: 'AGE_ABOVE_THRESHOLD' as const,
      matchScore: null,
      type: 'passport' as const,
      country: 'SWE',
      verifiedAt: '2026-03-01T12:00:00Z',
      signs: [],
    };
    const carried: CarriedSteps = { steps: [0], findings: { document, embedding: Float32Array.of(0.6, 0.8) } };
    const page = await openPhone({ plan: { steps: [DOCUMENT_STEP, FACE_STEP], carried: [0] }, carried });
    page.camera.put(...GOOD);
    page.actions.chooseNumber(NUMBER);
    await page.see('end', { how: 'done' });
    expect(page.names()).not.toContain('document');
    expect(page.client.submitted).toMatchObject([{ document: { ...document, matchScore: 0.6 } }]);
  });

  test.each<[string, CarriedSteps['findings']]>([
    ['is incomplete', { embedding: Float32Array.of(0.6, 0.8) }],
    ['was overwritten', { face: ABOVE, embedding: Float32Array.of(0, 0) }],
    ['was a spoof', { face: { spoof: true }, embedding: Float32Array.of(0.6, 0.8) }],
  ])('is captured again if it %s', async (_, findings) => {
    const page = await openPhone({ plan: { steps: BOTH, carried: [0] }, carried: { steps: [0], findings } });
    page.camera.put(...GOOD);
    page.actions.chooseNumber(NUMBER);
    await showDocument(page, [1, 0]);
    await page.see('end', { how: 'done' });
    expect(page.client.calls).toContain('record started 0');
    expect(page.client.calls).not.toContain('record carried 0');
    expect(page.client.submitted).toMatchObject([{ document: { matchScore: 1 } }]);
  });

  test('is captured again after a reload of the second device', async () => {
    const page = createFakePage({
      view: { state: 'capturing', role: 'active' },
      plan: { steps: BOTH, carried: [0] },
      reported: [
        ['carried', 0, 5],
        ['started', 1, 6],
      ],
    });
    page.camera.allow();
    await page.open();
    page.actions.start();
    page.camera.put(...GOOD);
    await showDocument(page, [1, 0]);
    await page.see('end', { how: 'done' });
    const events = page.client.log().map(([event, index]) => `${event} ${index}`);
    expect(events.slice(0, 3)).toEqual(['carried 0', 'started 1', 'retried 0']);
  });

  test('does not ask again for an accepted passkey and contact details', async () => {
    const steps: PlanStep[] = [
      { ...FACE_STEP, report: 'none', ageThreshold: 0 },
      { step: 'passkey', when: 'always', operation: 'assert' },
      { step: 'token', when: 'always', operation: 'SIGN-IN', gallery: GALLERY, modelId: MODEL_ID, sendsSelfie: false },
    ];
    const findings = { face: { spoof: false as const }, embedding: Float32Array.of(1, 0) };
    const view = { ...HANDED, asks: { ...ASKS, operation: 'SIGN-IN' as const } };
    const page = await openPhone({ plan: { steps, carried: [0, 1] }, view, carried: { steps: [0, 1], findings } });
    page.actions.chooseNumber(NUMBER);
    await page.see('end', { how: 'signed_in' });
    expect(page.names()).not.toContain('passkey');
    expect(page.client.tokens).toHaveLength(1);
    expect(page.client.log().map(([event, index]) => `${event} ${index}`)).toEqual([
      ...['carried 0', 'carried 1', 'started 2', 'finished 2'],
    ]);
  });
});

describe('the first device', () => {
  async function findFace(steps: PlanStep[], asks = ASKS) {
    const page = createFakePage({ plan: { steps }, view: { asks }, isComputer: true });
    page.camera.allow();
    await page.open();
    page.actions.start();
    page.camera.put(...GOOD);
    return page;
  }

  test('hands over the face findings with the embedding if a document will be compared', async () => {
    const page = await findFace(BOTH);
    await act(page, 'document', page.actions.usePhone);
    await page.see('handoff', { state: 'code', number: NUMBER });
    expect(page.client.handedOn).toMatchObject([
      { findings: { face: ABOVE, embedding: Float32Array.of(1, 0), indicators: { headless: [] } } },
    ]);
    expect(isLegal(page.client.log().slice(0, -1), { steps: BOTH, stepsDue: [0], cutShort: false })).toBe(true);
  });

  test('hands over no embedding if no later step compares it', async () => {
    const face: PlanStep = { ...FACE_STEP, report: 'none', ageThreshold: 0 };
    const token: PlanStep = {
      step: 'token',
      when: 'always',
      operation: 'ENROLL',
      gallery: GALLERY,
      modelId: MODEL_ID,
      sendsSelfie: false,
    };
    const contact: PlanStep = { step: 'contact', when: 'always', fields: ['email'] };
    const page = await findFace([face, token, contact], { ...ASKS, operation: 'ENROLL' });
    await page.see('contact');
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    const [{ findings } = {}] = page.client.handedOn;
    expect(Object.keys(findings ?? {}).sort()).toEqual(['face', 'indicators']);
  });

  test('shows that a wrong number was chosen, and creates a new code', async () => {
    const page = await findFace(BOTH);
    await act(page, 'document', page.actions.usePhone);
    const { url } = await page.see('handoff', { state: 'code' });
    page.client.pushView({ wrongNumber: true });
    await page.see('handoff', { state: 'other_number' });
    page.actions.renewCode();
    expect((await page.see('handoff', { state: 'code' })).url).not.toBe(url);
    // The face is still available for the new code's box.
    expect(page.client.handedOn[1]?.findings).toMatchObject({ embedding: Float32Array.of(1, 0) });
  });

  test('offers no other device if the host does not allow it', async () => {
    const page = createFakePage({ isComputer: true, view: { handoff: 'refused' } });
    await page.open();
    expect(page.screen()).toMatchObject({ name: 'welcome', canUsePhone: false, phoneOnly: false });
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    page.camera.meet(new CameraError('refused'));
    page.actions.askForCamera();
    expect(await page.see('permission', { state: 'refused' })).toMatchObject({ staysHere: true });
  });

  test('shows that it may neither do the check nor hand it off, and reports a code when given up', async () => {
    const page = createFakePage({ isComputer: true, view: { handoff: 'refused', enableDesktop: false } });
    await page.open();
    expect(page.screen()).toMatchObject({ name: 'welcome', canUsePhone: false, phoneOnly: true });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls.at(-1)).toBe('cancel -5');
  });
});

describe('the return code', () => {
  const asks = { ...ASKS, operation: 'SIGN-IN' as const };
  const done = { flowStatus: 'COMPLETED' as const, errors: [] };
  const awaitsReturnCode = (returnCodeTriesLeft: number): Partial<DeviceView> => ({
    asks,
    role: 'follower',
    state: 'completed',
    end: { ...done, returnCodeTriesLeft },
  });

  async function openComputer(triesLeft = 3) {
    const page = createFakePage({ isComputer: true, view: awaitsReturnCode(triesLeft) });
    await page.open();
    await page.see('return_code', { state: 'asking', triesLeft });
    await settle();
    return page;
  }

  test('is shown by the second device, which is not redirected', async () => {
    const page = createFakePage({
      view: { asks, role: 'active', state: 'completed', end: { ...done, returnCode: RETURN_CODE } },
    });
    await page.open();
    expect(page.screen()).toEqual({ name: 'end', how: 'hand_back', redirectUrl: null, returnCode: RETURN_CODE });
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
  });

  test('is accepted by the first device in any digits and grouping, before the redirect', async () => {
    const page = createFakePage({ isComputer: true, view: { asks, role: 'follower', state: 'opened' } });
    await page.open();
    await page.see('handoff', { state: 'following' });
    page.client.pushView(awaitsReturnCode(3));
    await page.see('return_code', { state: 'asking', triesLeft: 3 });
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
    await settle();
    page.actions.giveReturnCode(' ٢٧١ ٨٢٨');
    await page.see('end', { how: 'signed_in', redirectUrl: REDIRECT });
    page.platform.pass(10_000);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('uses up a try if it is wrong, but not if it is incomplete', async () => {
    const page = await openComputer();
    page.actions.giveReturnCode('2718');
    await page.see('return_code', { state: 'incomplete', triesLeft: 3 });
    await settle();
    page.actions.giveReturnCode('271829');
    await page.see('return_code', { state: 'wrong', triesLeft: 2 });
    await settle();
    page.actions.giveReturnCode(RETURN_CODE);
    await page.see('end', { redirectUrl: REDIRECT });
  });

  test('ends the session without a redirect after three wrong codes', async () => {
    const page = await openComputer();
    for (const triesLeft of [2, 1]) {
      page.actions.giveReturnCode('000000');
      await page.see('return_code', { state: 'wrong', triesLeft });
      await settle();
    }
    page.actions.giveReturnCode('000000');
    expect(await page.see('end')).toEqual({ name: 'end', how: 'not_handed_back', redirectUrl: null });
  });

  test('is sent once the network is back', async () => {
    const page = await openComputer(1);
    page.client.meet('sendReturnCode', offline());
    page.actions.giveReturnCode(RETURN_CODE);
    await page.see('return_code', { state: 'checking' });
    await settle();
    page.platform.comeOnline();
    await page.see('end', { how: 'signed_in' });
  });
});
