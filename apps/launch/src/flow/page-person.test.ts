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
/** Embedding that the fake engine measures. */
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

const listDoings = (page: FakePage) =>
  page.states
    .flatMap(({ screen }) => (screen.name === 'working' ? [screen.doing] : []))
    .filter((doing, i, doings) => doing !== doings[i - 1]);
const hasLegalLog = (page: FakePage, steps: PlanStep[]) =>
  isLegal(page.client.log(), { steps, stepsDue: [...steps.keys()], cutShort: false });
const listCalls = (page: FakePage) =>
  page.client.calls.filter((call) => /token|Token|sign|passkey|Passkey|selfie|Selfie/.test(call));

describe('enrollment', () => {
  test('encrypts the face on the device with the challenge’s key, and remembers the person after the end', async () => {
    const page = await start({ operation: 'ENROLL' });
    await page.see('end', { how: 'enrolled' });
    expect(listDoings(page)).toEqual(['looking', 'encrypting', 'matching', 'sending']);
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

  test('loads no age models and reports no age', async () => {
    const page = await start({ operation: 'ENROLL' });
    await page.see('end', { how: 'enrolled' });
    expect(page.engine.loads.flatMap(({ roles }) => roles)).not.toContain('age_deep');
    expect(page.engine.loads[1]?.roles).toContain('embedding');
  });

  test('replaces the record kept from before', async () => {
    const people = [await makePerson(SEEN, { deviceId: 'old' }), await makePerson([0, 1], { deviceId: 'somebody' })];
    const page = await start({ operation: 'ENROLL', people });
    await page.see('end', { how: 'enrolled' });
    await settle();
    expect(page.people.records.map(({ deviceId }) => deviceId)).toEqual(['somebody', 'device-1']);
  });

  test('asks for contact details and a passkey in the plan’s order', async () => {
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
    expect(listCalls(page)).toEqual(['tokenChallenge', 'sendToken', 'passkeyOptions', 'sendPasskey']);
    expect(hasLegalLog(page, steps)).toBe(true);
  });

  test('remembers no one if the session failed', async () => {
    const page = await start({ operation: 'ENROLL', steps: [FACE, tokenStep('ENROLL'), CONTACT] });
    await page.see('contact');
    page.cancel();
    await page.see('end', { how: 'cancelled_enrolment' });
    await settle();
    expect(page.people.records).toEqual([]);
  });

  test('reports a third failed enrollment to the person and the host', async () => {
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

  test('succeeds in a browser that stores nothing', async () => {
    const page = await start({ operation: 'ENROLL' });
    page.people.fail();
    await page.see('end', { how: 'enrolled' });
  });
});

describe('the selfie', () => {
  test('is sent in its step if the plan says so', async () => {
    const page = await start({ operation: 'ENROLL', steps: [FACE, tokenStep('ENROLL', true)] });
    await page.see('end', { how: 'enrolled' });
    expect(page.client.selfies).toHaveLength(1);
    expect(page.client.selfies[0]).toEqual(Uint8Array.of(0xff, 0xd8));
    expect(page.client.calls.indexOf('sendSelfie')).toBeGreaterThan(page.client.calls.indexOf('sendToken'));
  });

  test('is neither taken nor sent if the plan does not ask for it', async () => {
    const page = await start({ operation: 'ENROLL' });
    await page.see('end', { how: 'enrolled' });
    expect(page.client.selfies).toEqual([]);
  });

  test('is not sent for a person who is not recognized', async () => {
    const page = await start({ steps: [FACE, tokenStep('SIGN-IN', true)] });
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 0 });
    await page.see('end', { how: 'not_recognized' });
    expect(page.client.selfies).toEqual([]);
  });
});

describe('sign-in', () => {
  test('recognizes a known person on the device, and sends nothing of the face', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    await page.see('end', { how: 'signed_in' });
    expect(listCalls(page)).toEqual(['signInLocally device']);
    expect(page.engine.encrypted).toEqual([]);
    expect(page.people.records).toHaveLength(1);
  });

  test('lets the service compare an unknown person, and remembers them', async () => {
    const page = await start({ people: [await makePerson([0, 1])] });
    await page.see('end', { how: 'signed_in' });
    expect(listCalls(page)).toEqual(['tokenChallenge', 'sendToken']);
    await settle();
    expect(page.people.records.map(({ deviceId }) => deviceId)).toEqual(['device', 'device-1']);
  });

  test.each([
    ['another gallery', { gallery: 'other' }],
    ['another model', { modelId: 'BBBBBBBBBBBBBBBBBBBBBB' }],
  ])('does not compare with people of %s', async (_, facts) => {
    const page = await start({ people: [await makePerson(SEEN, facts)] });
    await page.see('end', { how: 'signed_in' });
    expect(listCalls(page)).toEqual(['tokenChallenge', 'sendToken']);
  });

  test('has the service compare a known device now and then', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    page.client.answer('signInLocally', { outcome: 'server_required' });
    await page.see('end', { how: 'signed_in' });
    expect(listCalls(page)).toEqual(['signInLocally device', 'tokenChallenge', 'sendToken']);
    expect(page.client.tokens[0]).not.toHaveProperty('deviceKey');
    expect(page.people.records.map(({ deviceId }) => deviceId)).toEqual(['device']);
  });

  test('forgets the person if the service no longer knows the device', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    page.client.answer('signInLocally', { outcome: 'refused' });
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 0 });
    await page.see('end', { how: 'not_recognized' });
    expect([page.people.records, page.client.calls.at(-1)]).toEqual([[], 'cancel 153']);
  });

  test('allows another face capture, with a log that the service accepts', async () => {
    const steps = [FACE, passkeyStep('assert'), tokenStep('SIGN-IN')];
    const page = await start({ steps });
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 2 });
    await act(page, 'passkey', page.actions.usePasskey);
    await showFaceAgain(page, 'not_recognized');
    await page.see('end', { how: 'signed_in' });
    // The passkey was requested once, because the service kept the response.
    expect(page.passkeys.asked).toEqual(['assert']);
    expect(page.engine.encrypted).toHaveLength(2);
    expect(hasLegalLog(page, steps)).toBe(true);
  });

  test('reports the matching code when the person gives up after a failed comparison', async () => {
    const page = await start();
    page.client.answer('sendToken', { outcome: 'not_recognized', triesLeft: 2 });
    await page.see('not_recognized');
    page.cancel();
    await page.see('end');
    expect(page.client.calls.at(-1)).toBe('cancel 153');
  });

  test('fetches a new challenge after one expired, without losing a try', async () => {
    const page = await start();
    page.client.meet('sendToken', refused(409, 'challenge_refused'));
    await page.see('end', { how: 'signed_in' });
    expect(listCalls(page)).toEqual(['tokenChallenge', 'sendToken', 'tokenChallenge', 'sendToken']);
  });

  test('waits for the network and then continues', async () => {
    const page = await start();
    page.client.meet('sendToken', offline());
    await page.see('working', { offline: true });
    page.platform.comeOnline();
    await page.see('end', { how: 'signed_in' });
  });
});

describe('too many tries', () => {
  test('make the person wait as long as the service says', async () => {
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

  test('end the session if the wait is longer than it', async () => {
    const page = await start();
    page.client.answer('sendToken', { outcome: 'throttled', retryAfter: 3600, triesLeft: 2 });
    expect(await page.see('end')).toMatchObject({ how: 'throttled', minutesLeft: 60 });
    expect(page.client.calls.at(-1)).toBe('cancel 153');
  });

  test('end an enrollment too, and show how long to wait', async () => {
    const page = await start({ operation: 'ENROLL' });
    page.client.answer('tokenChallenge', { outcome: 'throttled', retryAfter: 3599 });
    expect(await page.see('end')).toMatchObject({ how: 'throttled', minutesLeft: 60 });
    expect(page.client.calls.at(-1)).toBe('cancel 152');
  });
});

describe('a service that cannot compare', () => {
  test('shows the problem, loses nothing, and needs no new face capture', async () => {
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
  ] as const)(
    'shows that it lacks room after %s failed with %s, and accepts the same face again',
    async (call, code) => {
      const page = await start({ operation: 'ENROLL' });
      page.client.meet(call, refused(507, code));
      expect(await page.see('problem', { problem: 'full' })).toMatchObject({ canRetry: true, canUsePhone: false });
      page.actions.retry();
      await page.see('end', { how: 'enrolled' });
      expect(page.names().filter((name) => name === 'capture')).toHaveLength(1);
    },
  );

  test('is not needed for a person recognized on the device', async () => {
    const page = await start({ people: [await makePerson(SEEN)] });
    page.client.meetAlways('tokenChallenge', refused(503, 'keyholder_unavailable'));
    await page.see('end', { how: 'signed_in' });
  });
});

describe('a passkey', () => {
  const steps = [FACE, passkeyStep('assert'), tokenStep('SIGN-IN')];

  test('ends the session when it is refused to the last try', async () => {
    const page = await start({ steps });
    page.client.answer('sendPasskey', { outcome: 'refused', triesLeft: 1 }, { outcome: 'refused', triesLeft: 0 });
    await act(page, 'passkey', page.actions.usePasskey);
    await page.see('passkey', { state: 'refused' });
    await act(page, 'passkey', page.actions.usePasskey);
    await page.see('end', { how: 'passkey_refused' });
    expect(page.client.calls.at(-1)).toBe('cancel 154');
  });

  test('does not cover later screens when its prompt stays open', async () => {
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

  test('offers another device if the browser has no passkeys', async () => {
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

describe('a person that this browser knows', () => {
  test('can be forgotten on the first screen, and at the service once it is reachable', async () => {
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

  test('is not mentioned in an age check', async () => {
    const page = createFakePage({ people: [await makePerson(SEEN)] });
    await page.open();
    await settle();
    expect(page.screen()).toMatchObject({ name: 'welcome', memory: 'none' });
  });
});

test('logs screens to the console only if the session asks for it', async () => {
  const page = createFakePage({ view: { debugLevel: 2 } });
  await page.open();
  page.actions.start();
  await page.see('permission');
  expect(page.platform.notes).toEqual(['limen: welcome AGE (+0 ms)', 'limen: permission explain (+0 ms)']);
  const quiet = createFakePage();
  await quiet.open();
  expect(quiet.platform.notes).toEqual([]);
});
