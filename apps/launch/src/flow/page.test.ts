import { describe, expect, test } from 'vitest';
import { ASKS, REDIRECT } from '../../testing/fakes/fake-device-client.ts';
import { settle, untilTrue } from '../../testing/fakes/fake-flow.ts';
import { createFakePage } from '../../testing/fakes/fake-page.ts';
import { GOOD, lookAhead } from '../../testing/fakes/fake-reports.ts';
import { startAndRead } from '../../testing/fakes/page-steps.ts';
import { CameraError } from '../camera/open-camera.ts';

const ENDED = { flowStatus: 'COMPLETED' as const, errors: [], redirectUrl: REDIRECT };

describe('a person on a phone', () => {
  test('goes from the welcome to the result, and is taken back once', async () => {
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

  test('may go back at once, and is not taken there a second time', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    await page.open();
    page.actions.goOn();
    page.platform.pass(10_000);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('gets there by the button each time, also where the way by itself led nowhere', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    await page.open();
    page.platform.pass(2_500);
    page.actions.goOn();
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT, REDIRECT, REDIRECT]);
  });

  test('is shown the address where a frame may not lead the window on', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    page.platform.hold();
    await page.open();
    expect(page.screen()).not.toHaveProperty('isHeld');
    page.actions.goOn();
    expect(page.screen()).toMatchObject({ name: 'end', redirectUrl: REDIRECT, isHeld: true });
  });

  test('has ten seconds to read what went wrong', async () => {
    const end = { ...ENDED, flowStatus: 'CANCELLED' as const };
    const page = createFakePage({ view: { state: 'cancelled', end } });
    await page.open();
    page.platform.pass(9_999);
    expect(page.platform.leftFor).toEqual([]);
    page.platform.pass(1);
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('who comes back to the end is not sent away again, but may go', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    page.platform.revisit();
    await page.open();
    expect(page.screen()).toMatchObject({ name: 'end', redirectUrl: REDIRECT, stays: true });
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
    page.actions.goOn();
    expect(page.platform.leftFor).toEqual([REDIRECT]);
  });

  test('who left the end by another way and comes back is not sent away', async () => {
    const page = createFakePage({ view: { state: 'completed', end: ENDED } });
    await page.open();
    page.platform.revisit();
    page.platform.pass(60_000);
    expect(page.platform.leftFor).toEqual([]);
  });

  test('stays at the end where the host has no place for them', async () => {
    const page = createFakePage({ view: { state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } } });
    await page.open();
    page.actions.goOn();
    page.platform.pass(10_000);
    expect(page.platform.leftFor).toEqual([]);
  });

  describe('in a host’s page that listens', () => {
    const ends = {
      passed: ENDED,
      'passed and is offered an age key': { ...ENDED, ageKeyOffer: { ageOver: 18 } },
      failed: { ...ENDED, errors: [1] },
      'failed, and is sent nowhere,': { flowStatus: 'COMPLETED' as const, errors: [1] },
      'gave up': { flowStatus: 'CANCELLED' as const, errors: [] },
    };

    test('the camera’s question is said to come in the host’s name, as some browsers ask it', async () => {
      const page = createFakePage();
      page.platform.listen();
      await page.open();
      page.actions.start();
      expect(await page.see('permission', { state: 'explain' })).toMatchObject({ site: 'shop.example' });
    });

    test.each(Object.entries(ends))('who %s is taken back after the same time', async (_, end) => {
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

    test('may go back at once, though the host has no place for them', async () => {
      const page = createFakePage({ view: { state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } } });
      page.platform.listen();
      await page.open();
      page.actions.goOn();
      page.platform.pass(60_000);
      expect(page.platform.leftFor).toEqual([null]);
    });

    test('is taken back by a host that listens only once the end is shown', async () => {
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

  test('is not asked to read about a camera that was allowed before', async () => {
    const page = createFakePage();
    page.camera.allow();
    page.camera.put(...GOOD);
    await page.open();
    page.actions.start();
    await page.see('end', { how: 'done' });
    expect(page.names()).toEqual(['welcome', 'permission', 'capture', 'working', 'end']);
    expect(page.states.map(({ screen }) => screen)).not.toContainEqual({ name: 'permission', state: 'explain' });
  });

  test('is told who asks, what for and how long there is time', async () => {
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

  test('who is taken for a picture is told that it did not work, with code 1 for the host', async () => {
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
  test('goes on with the step that was begun', async () => {
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

  test('of a device that handed the session on follows the other one', async () => {
    const page = createFakePage({ view: { state: 'opened', role: 'follower' }, isComputer: true });
    await page.open();
    await page.see('handoff', { state: 'following', followed: 'opened' });
    page.client.tell({ state: 'capturing', progress: { step: 0, challengesDone: 0 } });
    await page.see('handoff', { followed: 'face' });
    page.client.tell({ state: 'completed', end: ENDED });
    await page.see('end', { how: 'done' });
    expect(page.client.calls).not.toContain('claim');
  });
});

describe('a link', () => {
  test('that was opened on another device stops here', async () => {
    const page = createFakePage({ view: { state: 'opened', role: 'none' } });
    await page.open();
    expect(page.screen()).toEqual({ name: 'stopped', why: 'elsewhere' });
    expect(page.client.calls).toEqual(['view']);
  });
});

describe('a person at a computer', () => {
  test('whose camera will do may use the phone, look at the code, and come back', async () => {
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

  test('whose camera will not do is sent to the phone, and follows it to the end', async () => {
    const page = createFakePage({ isComputer: true, view: { enableDesktop: false } });
    await page.open();
    expect(page.screen()).toMatchObject({ phoneOnly: true });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code', reason: 'desktop', canGoBack: false });
    await untilTrue(() => page.client.following === 1);
    page.client.tell({ role: 'follower', state: 'opened' });
    await page.see('handoff', { state: 'following', followed: 'opened' });
    page.client.tell({ state: 'completed', end: ENDED });
    await page.see('end', { how: 'done' });
    expect(page.camera.opened).toBe(0);
  });

  test('gets a new code for an old one', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    page.actions.usePhone();
    const { url } = await page.see('handoff', { state: 'code' });
    page.platform.pass(300_000);
    await page.see('handoff', { state: 'old_code' });
    page.actions.renewCode();
    expect((await page.see('handoff', { state: 'code' })).url).not.toBe(url);
  });

  test('whose camera is refused can use the phone instead', async () => {
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
  test('is asked about first, and tells the host nothing but that', async () => {
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

  test('before anything began claims the session, which only its device may end', async () => {
    const page = createFakePage();
    await page.open();
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls).toEqual(['view', 'claim', 'cancel']);
  });

  test('after a reload needs no other claim', async () => {
    const page = createFakePage({ view: { state: 'capturing', role: 'active' } });
    await page.open();
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls).toEqual(['view', 'cancel']);
  });

  test('in the middle of it turns the camera off and forgets the frames', async () => {
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

  test('where the camera will not open says why', async () => {
    const page = createFakePage();
    await startAndRead(page);
    page.camera.meet(new CameraError('missing'));
    page.actions.askForCamera();
    await page.see('permission', { state: 'missing' });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls.at(-1)).toBe('cancel -7');
  });

  test('twice in a hurry is once, and the reason stays', async () => {
    const page = createFakePage({ isComputer: true, view: { enableDesktop: false } });
    await page.open();
    page.cancel();
    page.actions.confirmCancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls).toEqual(['view', 'claim', 'cancel -5']);
  });

  test('is what the back button asks about once the session is claimed, and until it has ended', async () => {
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
  test('no action does anything any more, and nothing runs', async () => {
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
