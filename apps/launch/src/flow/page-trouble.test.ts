import { describe, expect, test } from 'vitest';
import { NUMBER, offline, REDIRECT, refused } from '../../testing/fakes/fake-device-client.ts';
import { createPromise, FACE_STEP, settle, untilTrue } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import { answerAll, lookAhead } from '../../testing/fakes/fake-reports.ts';
import { CameraStalledError } from '../camera/await-picture.ts';
import { CameraError } from '../camera/open-camera.ts';
import { ModelLoadError } from '../models/face-engine.ts';

const GOOD = answerAll(FACE_STEP);
const CANCELLED = { flowStatus: 'CANCELLED' as const, errors: [], redirectUrl: REDIRECT };

async function openAndStart(page: FakePage) {
  await page.open();
  page.actions.start();
  await page.see('permission', { state: 'explain' });
}

/** In the middle of the first challenge. */
async function startCapture(page: FakePage) {
  await openAndStart(page);
  page.camera.put(...GOOD.slice(0, 6));
  page.actions.askForCamera();
  await untilTrue(() => page.client.calls.includes('record shown 0') && page.camera.left === 0);
  await settle();
}

/** Whatever was in the way is gone: it can be done to the end. */
async function retryToTheEnd(page: FakePage) {
  page.camera.put(...GOOD);
  page.actions.retry();
  await page.see('end', { how: 'done' });
  expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
}

describe('the camera', () => {
  test.each(['refused', 'missing', 'busy', 'insecure'] as const)('that is %s can be asked for again', async (state) => {
    const page = createFakePage();
    await openAndStart(page);
    page.camera.meet(new CameraError(state));
    page.actions.askForCamera();
    await page.see('permission', { state });
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
    expect(page.client.calls.filter((call) => call === 'claim')).toHaveLength(1);
  });

  test('is asked for once, however often the button is pressed', async () => {
    const page = createFakePage();
    await openAndStart(page);
    const answer = createPromise<void>();
    page.camera.meet(() => answer.promise);
    page.actions.askForCamera();
    page.actions.askForCamera();
    answer.resolve();
    await page.see('capture');
    expect(page.camera.opened).toBe(1);
  });

  test('that is allowed only after giving up is turned off, and shows nothing', async () => {
    const page = createFakePage();
    await openAndStart(page);
    const answer = createPromise<void>();
    page.camera.meet(() => answer.promise);
    page.actions.askForCamera();
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    answer.resolve();
    await settle();
    expect(page.screen()).toMatchObject({ name: 'end' });
    expect(page.camera.running).toBe(0);
  });

  test.each([
    ['is unplugged', (page: FakePage) => page.camera.unplug()],
    ['stands still', (page: FakePage) => page.camera.stall(new CameraStalledError('still'))],
  ])('that %s in the middle is told, off, and may be tried again', async (_, trouble) => {
    const page = createFakePage();
    await startCapture(page);
    trouble(page);
    await page.see('problem', { problem: 'unplugged', canRetry: true });
    await settle();
    expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
  });

  test('that was unplugged is used again', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.camera.unplug();
    await page.see('problem');
    await retryToTheEnd(page);
    expect(page.client.calls).toContain('record retried 0');
  });
});

describe('the models', () => {
  test('that did not come while the person read are brought when they are needed', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('offline'));
    await openAndStart(page);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
    expect(page.engine.loads).toHaveLength(2);
  });

  test('that do not come are told, and tried again', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('offline'), new ModelLoadError('offline'));
    await openAndStart(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.camera.opened).toBe(0);
    await retryToTheEnd(page);
  });

  test.each(['failed', 'mismatch'] as const)('that came and do not work are another problem: %s', async (code) => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError(code), new ModelLoadError(code));
    await openAndStart(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'broken', canRetry: true });
    page.cancel();
    await page.see('end');
    expect(page.client.calls.at(-1)).toBe('cancel -20');
  });

  test('whose worker never spoke are tried again by another page, once the service answers', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(...[1, 2].map(() => new ModelLoadError('unstarted')));
    await openAndStart(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'models', canRetry: true });
    page.client.meet('view', offline());
    page.actions.retry();
    await page.see('loading');
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.platform.reloads).toBe(0);
    page.actions.retry();
    await untilTrue(() => page.platform.reloads === 1);
    expect(page.engine.loads).toHaveLength(2);
  });

  test('that came at the second go need no other page', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('unstarted'));
    await startCapture(page);
    page.camera.unplug();
    await page.see('problem');
    await retryToTheEnd(page);
    expect(page.platform.reloads).toBe(0);
  });

  test('tell how far they are', async () => {
    const page = createFakePage();
    const loaded = createPromise<void>();
    page.engine.meetAtLoad(() => loaded.promise);
    await openAndStart(page);
    page.engine.loads[0]!.onProgress?.(0.2);
    expect(page.screen()).toMatchObject({ name: 'permission' });
    page.actions.askForCamera();
    await settle();
    expect(page.screen()).toMatchObject({ name: 'permission', state: 'asking' });
    page.platform.pass(300);
    await page.see('loading', { share: null });
    page.engine.loads[0]!.onProgress?.(0.6);
    expect(page.screen()).toEqual({ name: 'loading', share: 0.6 });
    loaded.resolve();
    await page.see('capture');
    expect(page.engine.loads.filter(({ onProgress }) => onProgress)).toHaveLength(1);
  });

  test('that the service has not got yet are waited for, but not beyond the end', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('unready'), new ModelLoadError('unready'));
    await openAndStart(page);
    page.actions.askForCamera();
    await settle();
    page.platform.pass(3_000);
    await page.see('loading', { unready: true });
    expect(page.camera.opened).toBe(0);
    page.cancel();
    await page.see('end');
    page.platform.pass(60_000);
    await settle();
    expect(page.engine.loads).toHaveLength(2);
    expect(page.platform.timers).toBe(0);
  });

  test('that the service has not got for two minutes are told', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(...Array.from({ length: 40 }, () => new ModelLoadError('unready')));
    await openAndStart(page);
    page.actions.askForCamera();
    for (let asked = 1; asked < 40; asked += 1) {
      await untilTrue(() => page.engine.loads.length === asked);
      await settle();
      page.platform.pass(3_000);
    }
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.camera.opened).toBe(0);
    await retryToTheEnd(page);
  });

  test('that cannot run here leave the phone', async () => {
    const page = createFakePage({ isComputer: true });
    page.engine.meetAtLoad(new ModelLoadError('unsupported'), new ModelLoadError('unsupported'));
    await openAndStart(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'unsupported', canRetry: false, canUsePhone: true });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
  });

  test('are loaded again when their worker died', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.engine.die();
    page.camera.put({});
    await page.see('problem', { problem: 'unexpected', canRetry: true });
    await retryToTheEnd(page);
  });
});

describe('a step that does not work out', () => {
  test.each([
    ['dark', { problems: ['too_dark' as const] }, -10],
    ['faces', { people: 2 }, -11],
    ['scan', { people: 0 }, -22],
  ] as const)('is told as %s, can be tried again, and given up with its code', async (problem, look, code) => {
    const page = createFakePage();
    await openAndStart(page);
    page.camera.put(...lookAhead(400, look as object));
    page.actions.askForCamera();
    await page.see('problem', { problem });
    page.actions.retry();
    await page.see('capture');
    page.camera.put(...lookAhead(400, look as object));
    await page.see('problem', { problem });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls.at(-1)).toBe(`cancel ${code}`);
  });

  test('is tried again once, however often the button is pressed', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.camera.unplug();
    await page.see('problem');
    page.actions.retry();
    await retryToTheEnd(page);
  });

  test('whose log is full can only be given up or done on another device', async () => {
    const page = createFakePage({ isComputer: true });
    await startCapture(page);
    page.client.meet('record', new RangeError('full'));
    page.camera.put(...GOOD.slice(5, 9));
    await page.see('problem', { problem: 'scan', canRetry: false, canUsePhone: true });
  });
});

describe('without a network', () => {
  test('the claim waits, says so, and goes on', async () => {
    const page = createFakePage();
    page.client.meet('claim', offline(), offline());
    await page.open();
    page.actions.start();
    await page.see('working', { offline: true });
    page.platform.comeOnline();
    await untilTrue(() => page.client.calls.filter((call) => call === 'claim').length === 2);
    await page.see('working', { offline: true });
    await untilTrue(() => page.platform.listeners === 1);
    page.platform.comeOnline();
    await page.see('permission', { state: 'explain' });
  });

  test('the claim can be given up', async () => {
    const page = createFakePage();
    page.client.meet('claim', offline());
    await page.open();
    page.actions.start();
    await page.see('working', { offline: true });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
  });

  test('giving up waits too', async () => {
    const page = createFakePage();
    await openAndStart(page);
    page.client.meet('cancel', offline());
    page.cancel();
    await page.see('working', { offline: true, canCancel: false });
    page.platform.pass(1_000);
    await page.see('end', { how: 'cancelled' });
  });

  test('a computer that may not do it itself tries the phone again, and never its own camera', async () => {
    const page = createFakePage({ isComputer: true, view: { enableDesktop: false } });
    await page.open();
    page.client.meet('handoff', offline());
    page.actions.usePhone();
    await page.see('problem', { canRetry: true });
    page.actions.retry();
    await page.see('handoff', { state: 'code', reason: 'desktop' });
    expect(page.camera.opened).toBe(0);
  });

  test('the answer waits, and the same one is sent', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('submit', offline());
    page.camera.put(...GOOD.slice(5));
    await page.see('working', { doing: 'sending', offline: true });
    expect(page.camera.running).toBe(0);
    page.platform.comeOnline();
    await page.see('end', { how: 'done' });
  });
});

describe('what the service refuses', () => {
  test.each([
    ['handoff_code_refused', 'old_code'],
    ['third_device', 'third_device'],
  ] as const)('a look with %s stops the page, and so does a claim', async (code, why) => {
    const page = createFakePage({ code: 'secret', view: { state: 'opened' } });
    page.client.meet('look', refused(403, code));
    await page.open();
    await page.see('stopped', { why });
    page.client.meet('claim', refused(403, code));
    page.actions.retry();
    await page.see('take_over');
    await settle();
    page.actions.chooseNumber(NUMBER);
    await page.see('stopped', { why });
    expect(page.platform.fragmentsDropped).toBe(0);
  });

  test('a claim for want of room can be tried again', async () => {
    const page = createFakePage();
    await page.open();
    page.client.meet('claim', refused(507, 'disk_full'));
    page.actions.start();
    await page.see('problem', { problem: 'full', canRetry: true, canUsePhone: false });
    page.actions.retry();
    await page.see('welcome');
    page.actions.start();
    await page.see('permission', { state: 'explain' });
  });

  test('an answer for want of room can be sent again, and nothing is done twice', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('submit', refused(507, 'disk_full'));
    page.camera.put(...GOOD.slice(5));
    await page.see('problem', { problem: 'full', canRetry: true, canUsePhone: false });
    page.actions.retry();
    await page.see('end', { how: 'done' });
    expect(page.camera.opened).toBe(1);
  });

  test('a claim that another device was quicker with stops the page', async () => {
    const page = createFakePage();
    await page.open();
    page.client.change({ state: 'opened' });
    page.client.meet('claim', refused(403, 'device_mismatch'));
    page.actions.start();
    await page.see('stopped', { why: 'elsewhere' });
  });

  test('a claim of a device that handed the session on makes it follow', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    page.actions.goBack();
    page.client.change({ state: 'opened', role: 'follower' });
    page.client.meet('claim', refused(403, 'device_mismatch'));
    page.actions.start();
    await page.see('handoff', { state: 'following' });
  });

  test('giving up of a device that only follows leaves it following', async () => {
    const page = createFakePage({ isComputer: true, view: { state: 'opened', role: 'follower' } });
    await page.open();
    await page.see('handoff', { state: 'following' });
    page.client.meet('claim', refused(403, 'device_mismatch'));
    page.cancel();
    await page.see('working');
    await page.see('handoff', { state: 'following' });
  });

  test('an answer that does not fit ends it, as the view says', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('submit', async () => {
      page.client.change({ state: 'cancelled', end: { ...CANCELLED, errors: [-15] } });
      throw refused(422, 'answer_refused');
    });
    page.camera.put(...GOOD.slice(5));
    await page.see('end', { how: 'failed' });
    expect(page.client.calls.filter((call) => call === 'submit')).toHaveLength(1);
  });

  test('a report that another tab made otherwise is claimed again, and the step begun again', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('record', refused(409, 'log_conflict'));
    page.camera.put(...GOOD.slice(5, 9));
    await untilTrue(() => page.client.calls.filter((call) => call === 'claim').length === 2);
    page.camera.put(...GOOD);
    await page.see('end', { how: 'done' });
    expect(page.camera.running).toBe(0);
  });

  test('a second report soon after that another tab made otherwise leaves it to that tab', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('record', refused(409, 'log_conflict'));
    page.camera.put(...GOOD.slice(5, 9));
    await untilTrue(() => page.client.calls.filter((call) => call === 'claim').length === 2);
    await page.see('capture');
    page.client.meet('record', refused(409, 'log_conflict'));
    page.camera.put(...GOOD);
    await page.see('stopped', { why: 'elsewhere' });
    await settle();
    expect([page.camera.running, page.engine.kept]).toEqual([0, 0]);
    expect(page.client.calls.filter((call) => call === 'claim')).toHaveLength(2);
  });

  test('a second one long after is claimed again', async () => {
    const page = createFakePage();
    await startCapture(page);
    for (const claims of [2, 3]) {
      page.client.meet('record', refused(409, 'log_conflict'));
      page.camera.put(...GOOD);
      await untilTrue(() => page.client.calls.filter((call) => call === 'claim').length === claims);
      page.camera.clear();
      await page.see('capture');
      page.platform.pass(10_000);
    }
    page.camera.put(...GOOD);
    await page.see('end', { how: 'done' });
  });

  test('a report of a device that the phone took over from makes it follow', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.change({ role: 'follower' });
    page.client.meet('record', refused(403, 'device_mismatch'));
    page.camera.put(...GOOD.slice(5, 9));
    await page.see('handoff', { state: 'following' });
    await settle();
    expect([page.camera.running, page.engine.kept]).toEqual([0, 0]);
  });

  test('a session that is gone is not found', async () => {
    const page = createFakePage();
    await page.open();
    page.client.meet('claim', refused(404, 'not_found'));
    page.actions.start();
    await page.see('end', { how: 'not_found' });
  });

  test.each([
    [500, 'internal_error'],
    [502, 'http_502'],
    [401, 'invalid_signature'],
  ])('everything with %i %s is asked once each time, and not round and round', async (status, code) => {
    const page = createFakePage();
    await page.open();
    page.client.meetAlways('claim', refused(status, code));
    page.client.meetAlways('view', refused(status, code));
    page.actions.start();
    await page.see('problem', { problem: 'unexpected', canRetry: true });
    await settle();
    expect(page.client.calls).toEqual(['view', 'claim', 'view']);
    page.client.meetAlways('claim', undefined);
    page.client.meetAlways('view', undefined);
    page.actions.retry();
    await page.see('welcome');
  });

  test('a new code that is refused after the person went on changes nothing', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    const renewing = createPromise<void>();
    page.client.meet('handoff', () => renewing.promise);
    page.actions.renewCode();
    page.actions.goBack();
    renewing.reject(refused(403, 'forbidden'));
    await settle();
    expect(page.screen()).toMatchObject({ name: 'welcome' });
  });

  test('that no more codes are given out is told', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    page.client.meet('handoff', refused(403, 'forbidden'));
    page.actions.renewCode();
    await page.see('problem', { canRetry: false });
  });
});

describe('a dialog over the check', () => {
  test.each(['askToCancel', 'showPrivacy'] as const)('makes nobody a spoof, however long: %s', async (ask) => {
    const page = createFakePage();
    await startCapture(page);
    page.actions[ask]();
    page.camera.put(...lookAhead(700));
    await settle();
    page.platform.pass(60_000);
    await settle();
    expect(page.client.submitted).toEqual([]);
    page.camera.clear();
    page.actions.closeDialog();
    page.camera.put(...GOOD);
    await page.see('end', { how: 'done' });
  });

  test('can be answered with yes', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.actions.askToCancel();
    await settle();
    page.actions.confirmCancel();
    await page.see('end', { how: 'cancelled' });
    expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
  });
});

describe('in a hurry', () => {
  test('the start is pressed twice and claims once', async () => {
    const page = createFakePage();
    await page.open();
    page.actions.start();
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    expect(page.client.calls).toEqual(['view', 'claim']);
  });

  test('who gives up while the browser is asked about the camera is not taken there', async () => {
    const page = createFakePage();
    const asked = createPromise<boolean>();
    let isAsked = false;
    page.camera.isAllowed = () => {
      isAsked = true;
      return asked.promise;
    };
    await page.open();
    page.actions.start();
    await untilTrue(() => isAsked);
    page.cancel();
    asked.resolve(true);
    await page.see('end', { how: 'cancelled' });
    await settle();
    expect(page.names()).toEqual(['welcome', 'working', 'end']);
    expect(page.camera.opened).toBe(0);
  });

  test('who gives up while the answer is on its way gets the end that the service knows', async () => {
    const page = createFakePage();
    await startCapture(page);
    const sending = createPromise<void>();
    page.client.meet('submit', () => sending.promise);
    page.camera.put(...GOOD.slice(5));
    await untilTrue(() => page.client.calls.includes('submit'));
    page.platform.pressBack();
    page.actions.confirmCancel();
    sending.resolve();
    await page.see('end');
    const shown = page.states.length;
    await settle();
    expect(page.states).toHaveLength(shown);
  });
});

describe('a session whose time is over', () => {
  const over = { state: 'expired' as const, end: { flowStatus: 'EXPIRED' as const, errors: [-8] } };

  test('while the person reads is asked about, a little later, and ended', async () => {
    const page = createFakePage();
    await page.open();
    page.platform.pass(15 * 60_000);
    expect(page.client.calls).toEqual(['view']);
    page.client.change(over);
    page.platform.pass(1_500);
    await page.see('end', { how: 'expired' });
    expect(page.client.calls).toEqual(['view', 'view']);
  });

  test('in the middle of it turns the camera off', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.change(over);
    page.platform.pass(15 * 60_000 + 1_500);
    await page.see('end', { how: 'expired' });
    await settle();
    expect([page.camera.running, page.camera.playing, page.engine.kept, page.engine.isClosed]).toEqual([0, 0, 0, true]);
  });

  test('by this clock alone goes on', async () => {
    const page = createFakePage();
    await page.open();
    page.client.change({ expiresAt: '2026-03-01T13:00:00.000Z' });
    page.platform.pass(15 * 60_000 + 1_500);
    await settle();
    page.platform.pass(20_000);
    expect(page.screen()).toMatchObject({ name: 'welcome', minutesLeft: 45 });
  });

  test('without a network is asked about again later', async () => {
    const page = createFakePage();
    await page.open();
    page.client.meet('view', offline());
    page.platform.pass(15 * 60_000 + 1_500);
    await settle();
    expect(page.screen()).toMatchObject({ name: 'welcome' });
    page.client.change(over);
    page.platform.pass(20_000);
    await page.see('end', { how: 'expired' });
  });

  test('while it was open elsewhere ends here too', async () => {
    const page = createFakePage({ view: { state: 'opened' } });
    await page.open();
    page.client.change(over);
    page.platform.pass(15 * 60_000 + 1_500);
    await page.see('end', { how: 'expired' });
  });
});
