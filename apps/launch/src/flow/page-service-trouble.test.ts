import { describe, expect, test } from 'vitest';
import { NUMBER, offline, REDIRECT, refused } from '../../testing/fakes/fake-device-client.ts';
import { createPromise, settle, untilTrue } from '../../testing/fakes/fake-flow.ts';
import { createFakePage } from '../../testing/fakes/fake-page.ts';
import { GOOD } from '../../testing/fakes/fake-reports.ts';
import { startAndRead, startCapture } from '../../testing/fakes/page-steps.ts';

const CANCELLED = { flowStatus: 'CANCELLED' as const, errors: [], redirectUrl: REDIRECT };

describe('without a network', () => {
  test('shows that the claim waits, then continues', async () => {
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

  test('lets the person give up a waiting claim', async () => {
    const page = createFakePage();
    page.client.meet('claim', offline());
    await page.open();
    page.actions.start();
    await page.see('working', { offline: true });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
  });

  test('waits with the cancellation too', async () => {
    const page = createFakePage();
    await startAndRead(page);
    page.client.meet('cancel', offline());
    page.cancel();
    await page.see('working', { offline: true, canCancel: false });
    page.platform.pass(1_000);
    await page.see('end', { how: 'cancelled' });
  });

  test('retries the phone, never its own camera, on a computer whose camera may not be used', async () => {
    const page = createFakePage({ isComputer: true, view: { enableDesktop: false } });
    await page.open();
    page.client.meet('handoff', offline());
    page.actions.usePhone();
    await page.see('problem', { canRetry: true });
    page.actions.retry();
    await page.see('handoff', { state: 'code', reason: 'desktop' });
    expect(page.camera.opened).toBe(0);
  });

  test('waits and sends the same answer', async () => {
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

describe('a refusal of the service', () => {
  test.each([
    ['handoff_code_refused', 'old_code'],
    ['third_device', 'third_device'],
  ] as const)('stops the page when a fetch or a claim fails with %s', async (code, why) => {
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

  test('allows another claim after one failed for lack of room', async () => {
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

  test('allows resending an answer that failed for lack of room, and repeats no step', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('submit', refused(507, 'disk_full'));
    page.camera.put(...GOOD.slice(5));
    await page.see('problem', { problem: 'full', canRetry: true, canUsePhone: false });
    page.actions.retry();
    await page.see('end', { how: 'done' });
    expect(page.camera.opened).toBe(1);
  });

  test('stops the page when another device claimed first', async () => {
    const page = createFakePage();
    await page.open();
    page.client.change({ state: 'opened' });
    page.client.meet('claim', refused(403, 'device_mismatch'));
    page.actions.start();
    await page.see('stopped', { why: 'elsewhere' });
  });

  test('makes a device follow after it handed the session off', async () => {
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

  test('keeps a follower following when it gives up', async () => {
    const page = createFakePage({ isComputer: true, view: { state: 'opened', role: 'follower' } });
    await page.open();
    await page.see('handoff', { state: 'following' });
    page.client.meet('claim', refused(403, 'device_mismatch'));
    page.cancel();
    await page.see('working');
    await page.see('handoff', { state: 'following' });
  });

  test('ends the session after a rejected answer, as the view says', async () => {
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

  test('claims again and restarts the step after another tab reported a different log', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('record', refused(409, 'log_conflict'));
    page.camera.put(...GOOD.slice(5, 9));
    await untilTrue(() => page.client.calls.filter((call) => call === 'claim').length === 2);
    page.camera.put(...GOOD);
    await page.see('end', { how: 'done' });
    expect(page.camera.running).toBe(0);
  });

  test('gives way to the other tab after a second conflict', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.meet('record', refused(409, 'log_conflict'));
    page.camera.put(...GOOD.slice(5, 9));
    await untilTrue(() => page.client.calls.filter((call) => call === 'claim').length === 2);
    await page.see('capture');
    page.platform.pass(10_000);
    page.client.meet('record', refused(409, 'log_conflict'));
    page.camera.put(...GOOD);
    await page.see('stopped', { why: 'elsewhere' });
    await settle();
    expect([page.camera.running, page.engine.kept]).toEqual([0, 0]);
    expect(page.client.calls.filter((call) => call === 'claim')).toHaveLength(2);
  });

  test('makes a device follow when it reports after the phone took over', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.change({ role: 'follower' });
    page.client.meet('record', refused(403, 'device_mismatch'));
    page.camera.put(...GOOD.slice(5, 9));
    await page.see('handoff', { state: 'following' });
    await settle();
    expect([page.camera.running, page.engine.kept]).toEqual([0, 0]);
  });

  test('shows that a deleted session is not found', async () => {
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
  ])('requests once per try, without a loop, if everything fails with %i %s', async (status, code) => {
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

  test('ignores the refusal of a new code after the person moved on', async () => {
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

  test('shows that no more codes are available', async () => {
    const page = createFakePage({ isComputer: true });
    await page.open();
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    page.client.meet('handoff', refused(403, 'forbidden'));
    page.actions.renewCode();
    await page.see('problem', { canRetry: false });
  });
});

describe('an expired session', () => {
  const over = { state: 'expired' as const, end: { flowStatus: 'EXPIRED' as const, errors: [-8] } };

  test('ends shortly after the service confirms the expiry, while the person reads', async () => {
    const page = createFakePage();
    await page.open();
    page.platform.pass(15 * 60_000);
    expect(page.client.calls).toEqual(['view']);
    page.client.change(over);
    page.platform.pass(1_500);
    await page.see('end', { how: 'expired' });
    expect(page.client.calls).toEqual(['view', 'view']);
  });

  test('turns the camera off during the capture', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.client.change(over);
    page.platform.pass(15 * 60_000 + 1_500);
    await page.see('end', { how: 'expired' });
    await settle();
    expect([page.camera.running, page.camera.playing, page.engine.kept, page.engine.isClosed]).toEqual([0, 0, 0, true]);
  });

  test('continues if only the local clock says so', async () => {
    const page = createFakePage();
    await page.open();
    page.client.change({ expiresAt: '2026-03-01T13:00:00.000Z' });
    page.platform.pass(15 * 60_000 + 1_500);
    await settle();
    page.platform.pass(20_000);
    expect(page.screen()).toMatchObject({ name: 'welcome', minutesLeft: 45 });
  });

  test('asks about the expiry again once the network is back', async () => {
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

  test('ends here too while open on another device', async () => {
    const page = createFakePage({ view: { state: 'opened' } });
    await page.open();
    page.client.change(over);
    page.platform.pass(15 * 60_000 + 1_500);
    await page.see('end', { how: 'expired' });
  });
});
