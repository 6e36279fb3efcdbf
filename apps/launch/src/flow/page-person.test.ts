// Enrolment, sign-in and verification as a person meets them, without a page.
import type { PlanStep } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../packages/sdk/testing/judge-log.ts';
import { ASKS, offline, refused } from '../../testing/fakes/fake-device-client.ts';
import { createPromise, FACE_STEP, settle } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import { GALLERY, MODEL_ID, makePerson } from '../../testing/fakes/fake-people.ts';
import { GOOD } from '../../testing/fakes/fake-reports.ts';
import { act } from '../../testing/fakes/page-steps.ts';
import { openPerson, type PersonRecord } from '../people/person-record.ts';

const FACE: PlanStep = { ...FACE_STEP, report: 'none', ageThreshold: 0 };
/** What the fake engine measures. */
const SEEN = [1, 0];

const tokenStep = (operation: 'ENROLL' | 'SIGN-IN' | 'VERIFY', sendsSelfie = false): PlanStep => ({
  step: 'token',
  when: 'always',
  operation,
  gallery: GALLERY,
  modelId: MODEL_ID,
  sendsSelfie,
});
const CONTACT: PlanStep = { step: 'contact', when: 'always', fields: ['email', 'phone'] };
const passkeyStep = (operation: 'register' | 'assert'): PlanStep => ({ step: 'passkey', when: 'always', operation });

interface Session {
  operation?: 'ENROLL' | 'SIGN-IN' | 'VERIFY';
  steps?: PlanStep[];
  people?: PersonRecord[];
}

async function start({ operation = 'SIGN-IN', steps = [FACE, tokenStep(operation)], people = [] }: Session = {}) {
  const page = createFakePage({ plan: { steps }, view: { asks: { ...ASKS, operation } }, people });
  page.camera.allow();
  await page.open();
  page.actions.start();
  page.camera.put(...GOOD);
  return page;
}

async function showFaceAgain(page: FakePage, name: 'not_recognized' | 'wait') {
  await page.see(name);
  await settle();
  page.actions.showFaceAgain();
  page.camera.put(...GOOD);
}

const doings = (page: FakePage) =>
  page.states
    .flatMap(({ screen }) => (screen.name === 'working' ? [screen.doing] : []))
    .filter((one, i, all) => one !== all[i - 1]);
const hasLegalLog = (page: FakePage, steps: PlanStep[]) =>
  isLegal(page.client.log(), { steps, stepsDue: [...steps.keys()], cutShort: false });
const callsOf = (page: FakePage) =>
  page.client.calls.filter((call) => /token|Token|sign|passkey|Passkey|selfie|Selfie/.test(call));

describe('who enrols', () => {
  test('is encrypted on the device, under the key of the challenge alone, and remembered after the end', async () => {
    const page = await start({ operation: 'ENROLL' });
    await page.see('end', { how: 'enrolled' });
    expect(doings(page)).toEqual(['looking', 'encrypting', 'matching', 'sending']);
    expect(page.engine.encrypted.map(({ face, key, modelId }) => [[...face], key.keyId, modelId])).toEqual([
      [SEEN, 'challenge', MODEL_ID],
    ]);
    expect(page.client.submitted[0]?.face).toEqual({ spoof: false });
    expect(hasLegalLog(page, [FACE, tokenStep('ENROLL')])).toBe(true);
    await settle();
    expect(page.people.records.map(({ deviceId, gallery, modelId }) => [deviceId, gallery, modelId])).toEqual([
      ['device-1', GALLERY, MODEL_ID],
    ]);
    expect([...(await openPerson(page.people.records[0]!))!]).toEqual(SEEN);
  });

  test('loads no model that tells an age, and says nothing of one', async () => {
    const page = await start({ operation: 'ENROLL' });
    await page.see('end', { how: 'enrolled' });
    expect(page.engine.loads.flatMap(({ roles }) => roles)).not.toContain('age_deep');
    expect(page.engine.loads[1]?.roles).toContain('embedding');
  });

  test('is remembered in place of what was kept of them before', async () => {
    const people = [await makePerson(SEEN, { deviceId: 'old' }), await makePerson([0, 1], { deviceId: 'somebody' })];
    const page = await start({ operation: 'ENROLL', people });
    await page.see('end', { how: 'enrolled' });
    await settle();
    expect(page.people.records.map(({ deviceId }) => deviceId)).toEqual(['somebody', 'device-1']);
  });

  test('gives contact details and makes a passkey, in the plan’s order', async () => {
    const steps = [FACE, tokenStep('ENROLL'), CONTACT, passkeyStep('register')];
    const page = await start({ operation: 'ENROLL', steps });
    await act(page, 'contact', () => page.actions.giveContact({ email: 'nobody' }));
    await page.see('contact');
    await settle();
    expect(page.screen()).toMatchObject({ faults: ['email'] });
    page.actions.giveContact({ email: 'name@example.org', phone: '' });
    await act(page, 'passkey', page.actions.usePasskey);
    await page.see('end', { how: 'enrolled' });
    expect(page.client.submitted[0]?.contact).toEqual({ email: 'name@example.org' });
    expect(callsOf(page)).toEqual(['tokenChallenge', 'sendToken', 'passkeyOptions', 'sendPasskey']);
    expect(hasLegalLog(page, steps)).toBe(true);
  });

  test('is not remembered where the session did not end well', async () => {
    const page = await start({ operation: 'ENROLL', steps: [FACE, tokenStep('ENROLL'), CONTACT] });
    await page.see('contact');
    page.cancel();
    await page.see('end', { how: 'cancelled_enrolment' });
    await settle();
    expect(page.people.records).toEqual([]);
  });

  test('who is not taken three times is told so, and the host too', async () => {
    const page = await start({ operation: 'ENROLL' });
    page.client.answer(
      'sendToken',
      { outcome: 'not_recognized', triesLeft: 1 },
      { outcome: 'not_recognized', triesLeft: 0 },
    );
    await showFaceAgain(page, 'not_recognized');
    await page.see('end', { how: 'failed' });
    expect(page.client.calls.at(-1)).toBe('cancel 152');
  });

  test('a browser that keeps nothing is no failure', async () => {
    const page = await start({ operation: 'ENROLL' });
    page.people.fail();
    await page.see('end', { how: 'enrolled' });
  });
});

describe('the photo', () => {
  test('is sent in its step where the plan says so', async () => {
    const page = await start({ operation: 'ENROLL', steps: [FACE, tokenStep('ENROLL', true)] });
    await page.see('end', { how: 'enrolled' });
    expect(page.client.selfies).toHaveLength(1);
    expect(page.client.selfies[0]).toEqual(Uint8Array.of(0xff, 0xd8));
    expect(page.client.calls.indexOf('sendSelfie')).toBeGreaterThan(page.client.calls.indexOf('sendToken'));
  });

  test('is neither made nor sent where it does not', async () => {
    const page = await start({ operation: 'ENROLL' });
    await page.see('end', { how: 'enrolled' });
    expect(page.client.selfies).toEqual([]);
  });

  test('of somebody who is not recognised is not sent', async () => {
    const page = await start({ steps: [FACE, tokenStep('SIGN-IN', true)] });
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 0 });
    await page.see('end', { how: 'not_recognized' });
    expect(page.client.selfies).toEqual([]);
  });
});

describe('who signs in', () => {
  test('is recognised here where they are known, and nothing of the face leaves', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    await page.see('end', { how: 'signed_in' });
    expect(callsOf(page)).toEqual(['signInLocally device']);
    expect(page.engine.encrypted).toEqual([]);
    expect(page.people.records).toHaveLength(1);
  });

  test('is compared by the service where nobody here is like them, and remembered', async () => {
    const page = await start({ people: [await makePerson([0, 1])] });
    await page.see('end', { how: 'signed_in' });
    expect(callsOf(page)).toEqual(['tokenChallenge', 'sendToken']);
    await settle();
    expect(page.people.records.map(({ deviceId }) => deviceId)).toEqual(['device', 'device-1']);
  });

  test.each([
    ['another gallery', { gallery: 'other' }],
    ['another model', { modelId: 'BBBBBBBBBBBBBBBBBBBBBB' }],
  ])('is not looked for among people of %s', async (_, facts) => {
    const page = await start({ people: [await makePerson(SEEN, facts)] });
    await page.see('end', { how: 'signed_in' });
    expect(callsOf(page)).toEqual(['tokenChallenge', 'sendToken']);
  });

  test('is shown to the service now and then, as the device that it knows', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    page.client.answer('signInLocally', { outcome: 'server_required' });
    await page.see('end', { how: 'signed_in' });
    expect(callsOf(page)).toEqual(['signInLocally device', 'tokenChallenge', 'sendToken']);
    expect(page.client.tokens[0]).not.toHaveProperty('deviceKey');
    expect(page.people.records.map(({ deviceId }) => deviceId)).toEqual(['device']);
  });

  test('is forgotten here where the service does not know the device any more', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    page.client.answer('signInLocally', { outcome: 'refused' });
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 0 });
    await page.see('end', { how: 'not_recognized' });
    expect([page.people.records, page.client.calls.at(-1)]).toEqual([[], 'cancel 153']);
  });

  test('can show their face again, and the course of it is one that the service takes', async () => {
    const steps = [FACE, passkeyStep('assert'), tokenStep('SIGN-IN')];
    const page = await start({ steps });
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 2 });
    await act(page, 'passkey', page.actions.usePasskey);
    await showFaceAgain(page, 'not_recognized');
    await page.see('end', { how: 'signed_in' });
    // The passkey was asked for once: the service has what it said.
    expect(page.passkeys.asked).toEqual(['assert']);
    expect(page.engine.encrypted).toHaveLength(2);
    expect(hasLegalLog(page, steps)).toBe(true);
  });

  test('who gives up then ends it with the code of that', async () => {
    const page = await start();
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 2 });
    await page.see('not_recognized');
    page.cancel();
    await page.see('end');
    expect(page.client.calls.at(-1)).toBe('cancel 153');
  });

  test('gets another challenge where one came too late, and loses no try', async () => {
    const page = await start();
    page.client.meet('sendToken', refused(409, 'challenge_refused'));
    await page.see('end', { how: 'signed_in' });
    expect(callsOf(page)).toEqual(['tokenChallenge', 'sendToken', 'tokenChallenge', 'sendToken']);
  });

  test('waits where the network is gone, and goes on by itself', async () => {
    const page = await start();
    page.client.meet('sendToken', offline());
    await page.see('working', { offline: true });
    page.platform.comeOnline();
    await page.see('end', { how: 'signed_in' });
  });
});

describe('too many tries', () => {
  test('make one wait, as long as the service says', async () => {
    const page = await start();
    page.client.answer('tokenChallenge', { outcome: 'throttled', retryAfter: 90 });
    expect(await page.see('wait')).toMatchObject({ minutesLeft: 2 });
    page.actions.showFaceAgain();
    page.platform.pass(31_000);
    expect(await page.see('wait')).toMatchObject({ minutesLeft: 1 });
    page.platform.pass(60_000);
    await page.see('wait', { minutesLeft: 0 });
    await showFaceAgain(page, 'wait');
    await page.see('end', { how: 'signed_in' });
    expect(page.platform.timers).toBeLessThanOrEqual(1);
  });

  test('end the session where the wait is longer than it', async () => {
    const page = await start();
    page.client.answer('sendToken', { outcome: 'throttled', retryAfter: 3600, triesLeft: 2 });
    expect(await page.see('end')).toMatchObject({ how: 'throttled', minutesLeft: 60 });
    expect(page.client.calls.at(-1)).toBe('cancel 153');
  });

  test('end an enrolment so, too, and say how long to wait', async () => {
    const page = await start({ operation: 'ENROLL' });
    page.client.answer('tokenChallenge', { outcome: 'throttled', retryAfter: 3599 });
    expect(await page.see('end')).toMatchObject({ how: 'throttled', minutesLeft: 60 });
    expect(page.client.calls.at(-1)).toBe('cancel 152');
  });
});

describe('a service that cannot compare', () => {
  test('says so, loses nothing, and the face need not be shown again', async () => {
    const page = await start({ operation: 'ENROLL' });
    page.client.meet('tokenChallenge', refused(503, 'keyholder_unavailable'));
    await page.see('problem', { problem: 'unavailable' });
    page.actions.retry();
    await page.see('end', { how: 'enrolled' });
    expect(page.names().filter((name) => name === 'capture')).toHaveLength(1);
    expect([...page.engine.encrypted[0]!.face]).toEqual(SEEN);
  });

  test.each([
    ['sendToken', 'store_full'],
    ['tokenChallenge', 'disk_full'],
  ] as const)('for lack of room, told by %s as %s, says so and takes the same face again', async (call, code) => {
    const page = await start({ operation: 'ENROLL' });
    page.client.meet(call, refused(507, code));
    expect(await page.see('problem', { problem: 'full' })).toMatchObject({ canRetry: true, canUsePhone: false });
    page.actions.retry();
    await page.see('end', { how: 'enrolled' });
    expect(page.names().filter((name) => name === 'capture')).toHaveLength(1);
  });

  test('is not asked by who is recognised here', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    page.client.meetAlways('tokenChallenge', refused(503, 'keyholder_unavailable'));
    await page.see('end', { how: 'signed_in' });
  });
});

describe('a passkey', () => {
  const steps = [FACE, passkeyStep('assert'), tokenStep('SIGN-IN')];

  test('that is refused to the last ends it', async () => {
    const page = await start({ steps });
    page.client.answer('sendPasskey', { outcome: 'refused', triesLeft: 1 }, { outcome: 'refused', triesLeft: 0 });
    await act(page, 'passkey', page.actions.usePasskey);
    await page.see('passkey', { state: 'refused' });
    await act(page, 'passkey', page.actions.usePasskey);
    await page.see('end', { how: 'passkey_refused' });
    expect(page.client.calls.at(-1)).toBe('cancel 154');
  });

  test('that is asked for too long covers nothing that was wanted since', async () => {
    const page = await start({ steps });
    const asked = createPromise<object>();
    page.passkeys.ask = () => asked.promise;
    await act(page, 'passkey', page.actions.usePasskey);
    await page.see('passkey', { state: 'asking' });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    asked.resolve({});
    await settle();
    expect(page.screen()?.name).toBe('handoff');
    expect(page.client.calls).not.toContain('sendPasskey');
  });

  test('that the browser does not have is a reason for another device', async () => {
    const page = createFakePage({ plan: { steps }, view: { asks: { ...ASKS, operation: 'SIGN-IN' } } });
    page.passkeys.isThere = false;
    page.camera.allow();
    await page.open();
    page.actions.start();
    page.camera.put(...GOOD);
    await page.see('passkey', { state: 'unsupported' });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
  });
});

describe('whom this browser knows', () => {
  test('can be forgotten before anything else, and the service is told when it can be', async () => {
    const people = [await makePerson(SEEN), await makePerson(SEEN, { deviceId: 'elsewhere', gallery: 'other' })];
    const plan = { steps: [FACE, tokenStep('SIGN-IN')] };
    const page = createFakePage({ plan, view: { asks: { ...ASKS, operation: 'SIGN-IN' } }, people });
    page.camera.allow();
    await page.open();
    await page.see('welcome', { memory: 'somebody' });
    page.actions.askToForget();
    expect(page.dialog()).toBe('forget');
    page.actions.confirmForget();
    await page.see('welcome', { memory: 'forgotten' });
    expect([page.people.records, page.dialog()]).toEqual([[], null]);
    page.actions.start();
    page.camera.put(...GOOD);
    await page.see('end', { how: 'signed_in' });
    expect(page.client.calls.filter((call) => call.startsWith('forget'))).toEqual(['forgetDevice device']);
  });

  test('is not spoken of in an age check', async () => {
    const page = createFakePage({ people: [await makePerson(SEEN)] });
    await page.open();
    await settle();
    expect(page.screen()).toMatchObject({ name: 'welcome', memory: 'none' });
  });
});

test('the console is told of screens where the session asks for it, and of nothing else', async () => {
  const page = createFakePage({ view: { debugLevel: 2 } });
  await page.open();
  page.actions.start();
  await page.see('permission');
  expect(page.platform.notes).toEqual(['limen: welcome AGE (+0 ms)', 'limen: permission explain (+0 ms)']);
  const quiet = createFakePage();
  await quiet.open();
  expect(quiet.platform.notes).toEqual([]);
});
