import { describe, expect, test } from 'vitest';
import { ASKS, REDIRECT } from '../../testing/fakes/fake-device-client.ts';
import { settle, untilTrue } from '../../testing/fakes/fake-flow.ts';
import { createFakePage } from '../../testing/fakes/fake-page.ts';
import { GOOD, lookAhead } from '../../testing/fakes/fake-reports.ts';
import { startAndRead } from '../../testing/fakes/page-steps.ts';
import { CameraError } from '../camera/open-camera.ts';

const ENDED = { flowStatus: 'COMPLETED' as const, errors: [], redirectUrl: REDIRECT };

describe('a person on a phone', () => {
  test('goes from the welcome to the result, and is redirected once', async () => {
    const page = createFakePage();
    await startAndRead(page);
    expect(page.engine.loads).toHaveLength(3);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    expect(await page.see('end')).toEqual({ name: 'end', how: 'done', redirectUrl: REDIRECT });
    expect(page.names()).toEqual(['welcome', 'permission', 'capture', 'working', 'end']);
    expect([page.camera.running, page.engine.isClosed]).toEqual([0, true]);
    page.platform.pass(2_499);
    expect(page.platform.leftFor).toEqual([]);
    page.platform.pass(1);
    page.platform.pass(100_000);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('may continue at once, and is not redirected again', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    await page.open();
    page.actions.goOn();
    page.platform.pass(10_000);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('can always continue by the button, even after the automatic redirect failed', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    await page.open();
    page.platform.pass(2_500);
    page.actions.goOn();
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT, REDIRECT, REDIRECT]);
  });

  test('sees the address if the frame may not navigate the window', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    page.platform.hold();
    await page.open();
    expect(page.screen()).not.toHaveProperty('isHeld');
    page.actions.goOn();
    expect(page.screen()).toMatchObject({ name: 'end', redirectUrl: REDIRECT, isHeld: true });
  });

  test('has ten seconds to read the failure', async () => {
    const end = { ...ENDED, flowStatus: 'CANCELLED' as const };
    const page = createFakePage({ view: { state: 'cancelled', end } });
    await page.open();
    page.platform.pass(9_999);
    expect(page.platform.leftFor).toEqual([]);
    page.platform.pass(1);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('is not redirected again after coming back to the end, but may continue', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    page.platform.revisit();
    await page.open();
    expect(page.screen()).toMatchObject({ name: 'end', redirectUrl: REDIRECT, stays: true });
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('is not redirected after leaving the end another way and coming back', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    await page.open();
    page.platform.revisit();
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
  });

  test('stays at the end if the host has no redirect URL', async () => {
    const page = createFakePage({ view: { state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } } });
    await page.open();
    page.actions.goOn();
    page.platform.pass(10_000);
    expect(page.platform.leftFor).toEqual([]);
  });

  describe('in a listening host’s page', () => {
    const ends = {
      passed: ENDED,
      'passed with an age key offer': { ...ENDED, ageKeyOffer: { ageOver: 18 } },
      failed: { ...ENDED, errors: [1] },
      'failed without a redirect URL': { flowStatus: 'COMPLETED' as const, errors: [1] },
      'gave up': { flowStatus: 'CANCELLED' as const, errors: [] },
    };

    test('learns that the camera prompt names the host, as in some browsers', async () => {
      const page = createFakePage();
      page.platform.listen();
      await page.open();
      page.actions.start();
      expect(await page.see('permission', { state: 'explain' })).toMatchObject({ site: 'shop.example' });
    });

    test.each(Object.entries(ends))('is redirected after the same time when the check %s', async (_, end) => {
      const page = createFakePage({ view: { state: 'completed', end } });
      page.platform.listen();
      await page.open();
      expect(page.screen()).toMatchObject({ name: 'end', hasHost: true });
      page.platform.pass(9_999);
      expect(page.platform.leftFor).toEqual([]);
      page.platform.pass(1);
      page.platform.pass(60_000);
      expect(page.platform.leftFor).toEqual(['redirectUrl' in end ? REDIRECT : null]);
    });

    test('may close at once, although the host has no redirect URL', async () => {
      const page = createFakePage({ view: { state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } } });
      page.platform.listen();
      await page.open();
      page.actions.goOn();
      page.platform.pass(60_000);
      expect(page.platform.leftFor).toEqual([null]);
    });

    test('is redirected by a host that starts listening after the end is shown', async () => {
      const page = createFakePage({ view: { state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } } });
      await page.open();
      page.platform.pass(60_000);
      expect(page.screen()).not.toHaveProperty('hasHost');
      page.platform.listen();
      expect(page.screen()).toMatchObject({ name: 'end', hasHost: true });
      page.platform.pass(10_000);
      expect(page.platform.leftFor).toEqual([null]);
    });
  });

  test('skips the explanation if the camera is already allowed', async () => {
    const page = createFakePage();
    page.camera.allow();
    page.camera.put(...GOOD);
    await page.open();
    page.actions.start();
    await page.see('end', { how: 'done' });
    expect(page.names()).toEqual(['welcome', 'permission', 'capture', 'working', 'end']);
    expect(page.states.map(({ screen }) => screen)).not.toContainEqual({ name: 'permission', state: 'explain' });
  });

  test('sees who asks, what for, and the time left', async () => {
    const asks = { ...ASKS, requester: 'Wine shop', mayAskForDocument: true, sendsAge: true };
    const page = createFakePage({ view: { asks } });
    await page.open();
    expect(page.screen()).toEqual({
      name: 'welcome',
      ...asks,
      minutesLeft: 15,
      resumes: false,
      phoneOnly: false,
      canUsePhone: false,
      busy: false,
      ways: [],
      canLinkWallet: false,
      proving: null,
      note: null,
      memory: 'none',
      colours: null,
    });
    page.platform.pass(61_000);
    expect(page.screen()).toMatchObject({ minutesLeft: 14 });
    expect(page.client.calls).toEqual(['view']);
  });

  test('sees that the check failed after a spoof, with code 1 for the host', async () => {
    const page = createFakePage();
    await startAndRead(page);
    page.camera.put(...lookAhead(700));
    page.actions.askForCamera();
    await page.see('end', { how: 'unlikely' });
    expect(page.client.submitted).toMatchObject([{ face: { spoof: true } }]);
  });

  test('can read about privacy at any time', async () => {
    const page = createFakePage();
    await page.open();
    page.actions.showPrivacy();
    expect(page.dialog()).toBe('privacy');
    page.actions.closeDialog();
    expect(page.dialog()).toBeNull();
  });
});

describe('a reload', () => {
  test('continues with the step that was started', async () => {
    const view = { state: 'capturing' as const, role: 'active' as const };
    const page = createFakePage({
      view,
      reported: [
        ['started', 0, 5],
        ['shown', 0, 900],
      ],
    });
    await page.open();
    expect(page.screen()).toMatchObject({ name: 'welcome', resumes: true });
    page.camera.put(...GOOD);
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
    expect(page.client.calls).toContain('record retried 0');
    expect(page.client.calls).not.toContain('record started 0');
  });

  test('after the end shows the end', async () => {
    const page = createFakePage({ view: { state: 'completed', role: 'active', end: ENDED } });
    await page.open();
    expect(page.names()).toEqual(['end']);
  });

  test('follows the other device after a handoff', async () => {
    const page = createFakePage({ view: { state: 'opened', role: 'follower' }, isComputer: true });
    await page.open();
    await page.see('handoff', { state: 'following', followed: 'opened' });
    page.client.pushView({ state: 'capturing', progress: { step: 0, challengesDone: 0 } });
    await page.see('handoff', { followed: 'face' });
    page.client.pushView({ state: 'completed', end: ENDED });
    await page.see('end', { how: 'done' });
    expect(page.client.calls).not.toContain('claim');
  });
});

describe('a link', () => {
  test('stops if another device has opened it', async () => {
    const page = createFakePage({ view: { state: 'opened', role: 'none' } });
    await page.open();
    expect(page.screen()).toEqual({ name: 'stopped', why: 'elsewhere' });
    expect(page.client.calls).toEqual(['view']);
  });
});

describe('a person at a computer', () => {
  test('may switch to the phone, see the code, and come back if the camera is allowed', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    expect(page.screen()).toMatchObject({ canUsePhone: true, phoneOnly: false });
    page.actions.usePhone();
    expect(page.screen()).toMatchObject({ name: 'welcome', busy: true });
    await page.see('handoff', { state: 'code', reason: 'chosen', canGoBack: true });
    await untilTrue(() => page.client.following === 1);
    page.actions.goBack();
    expect(page.screen()).toMatchObject({ name: 'welcome', busy: false });
    await untilTrue(() => page.client.following === 0);
    page.camera.put(...GOOD);
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
  });

  test('is sent to the phone and follows it to the end if the camera is not allowed', async () => {
    const page = createFakePage({ isComputer: true, view: { enableDesktop: false } });
    await page.open();
    expect(page.screen()).toMatchObject({ phoneOnly: true });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code', reason: 'desktop', canGoBack: false });
    await untilTrue(() => page.client.following === 1);
    page.client.pushView({ role: 'follower', state: 'opened' });
    await page.see('handoff', { state: 'following', followed: 'opened' });
    page.client.pushView({ state: 'completed', end: ENDED });
    await page.see('end', { how: 'done' });
    expect(page.camera.opened).toBe(0);
  });

  test('gets a new code after the old one expired', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    page.actions.usePhone();
    const { url } = await page.see('handoff', { state: 'code' });
    page.platform.pass(300_000);
    await page.see('handoff', { state: 'old_code' });
    page.actions.renewCode();
    expect((await page.see('handoff', { state: 'code' })).url).not.toBe(url);
  });

  test('can use the phone after refusing the camera', async () => {
    const page = createFakePage({ isComputer: true });
    await startAndRead(page);
    page.camera.meet(new CameraError('refused'));
    page.actions.askForCamera();
    await page.see('permission', { state: 'refused' });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
  });
});

describe('giving up', () => {
  test('asks for confirmation and reports only the cancellation to the host', async () => {
    const page = createFakePage();
    await startAndRead(page);
    page.actions.askToCancel();
    expect(page.dialog()).toBe('cancel');
    page.actions.closeDialog();
    expect(page.client.calls).not.toContain('cancel');
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.dialog()).toBeNull();
    expect(page.client.calls.at(-1)).toBe('cancel');
  });

  test('claims an unstarted session first, because only its device may end it', async () => {
    const page = createFakePage();
    await page.open();
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls).toEqual(['view', 'claim', 'cancel']);
  });

  test('needs no second claim after a reload', async () => {
    const page = createFakePage({ view: { state: 'capturing', role: 'active' } });
    await page.open();
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls).toEqual(['view', 'cancel']);
  });

  test('turns the camera off and drops the frames during the capture', async () => {
    const page = createFakePage();
    await startAndRead(page);
    page.camera.put(...GOOD.slice(0, 7));
    page.actions.askForCamera();
    await untilTrue(() => page.client.calls.includes('record shown 0') && page.camera.left === 0);
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    await settle();
    expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
  });

  test('reports why the camera did not open', async () => {
    const page = createFakePage();
    await startAndRead(page);
    page.camera.meet(new CameraError('missing'));
    page.actions.askForCamera();
    await page.see('permission', { state: 'missing' });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls.at(-1)).toBe('cancel -7');
  });

  test('cancels once and keeps the reason when pressed twice', async () => {
    const page = createFakePage({ isComputer: true, view: { enableDesktop: false } });
    await page.open();
    page.cancel();
    page.actions.confirmCancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls).toEqual(['view', 'claim', 'cancel -5']);
  });

  test('is offered by the back button from the claim to the end', async () => {
    const page = createFakePage();
    await page.open();
    expect(page.platform.pressBack()).toBe(false);
    page.actions.start();
    await page.see('permission');
    expect(page.platform.pressBack()).toBe(true);
    expect(page.dialog()).toBe('cancel');
    page.platform.pressBack();
    expect(page.dialog()).toBeNull();
    page.cancel();
    await page.see('end');
    expect(page.platform.pressBack()).toBe(false);
    expect(page.dialog()).toBeNull();
  });
});

describe('after the end', () => {
  test('ignores every action and keeps nothing running', async () => {
    const page = createFakePage({ isComputer: true, view: { state: 'completed', end: ENDED } });
    await page.open();
    const { start, askForCamera, retry, usePhone, renewCode, goBack, askToCancel, confirmCancel } = page.actions;
    for (const act of [start, askForCamera, retry, usePhone, renewCode, goBack, askToCancel, confirmCancel]) act();
    await settle();
    expect(page.names()).toEqual(['end']);
    expect(page.dialog()).toBeNull();
    expect(page.client.calls).toEqual(['view']);
    page.platform.pass(3_600_000);
    await settle();
    expect([page.platform.timers, page.platform.listeners]).toEqual([0, 0]);
    expect(page.client.calls).toEqual(['view']);
  });
});
