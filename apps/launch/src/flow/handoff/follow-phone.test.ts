import { describe, expect, test } from 'vitest';
import { createFakeClient, NUMBER, refused } from '../../../testing/fakes/fake-device-client.ts';
import { createPromise, PLAN, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import type { HandoffScreen } from '../../course/screens.ts';
import { followPhone } from './follow-phone.ts';

const FINDINGS = { face: { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' } } as const;

function start({ isFollower = false, reason = 'chosen' as HandoffScreen['reason'] } = {}) {
  const platform = createFakePlatform({ isComputer: true });
  const view = isFollower ? { role: 'follower' as const, state: 'opened' as const } : { role: 'active' as const };
  const client = createFakeClient({ platform, plan: PLAN, view });
  const control = new AbortController();
  const screens: HandoffScreen[] = [];
  const follow = () =>
    followPhone({
      client,
      platform,
      reason,
      isFollower,
      findings: () => FINDINGS,
      signal: control.signal,
      show: (screen) => void screens.push(screen),
    });
  return { platform, client, control, screens, follow, last: () => screens.at(-1)! };
}

describe('a handoff code', () => {
  test('shows the code with its remaining time by the server’s clock', async () => {
    const { follow, last, platform, client } = start();
    follow();
    await untilTrue(() => client.following === 1);
    expect(last()).toEqual({
      name: 'handoff',
      reason: 'chosen',
      url: 'https://limen.example/launch#handoff=1',
      minutesLeft: 5,
      number: NUMBER,
      state: 'code',
      followed: 'waiting',
      canGoBack: true,
    });
    platform.pass(60_001);
    expect(last().minutesLeft).toBe(4);
    platform.pass(240_000);
    expect(last().state).toBe('old_code');
  });

  test('replaces the code by a new one', async () => {
    const { follow, last, platform, client } = start();
    const phone = follow();
    await untilTrue(() => client.following === 1);
    platform.pass(300_000);
    await phone.renewCode();
    expect(last()).toMatchObject({ state: 'code', url: 'https://limen.example/launch#handoff=2', minutesLeft: 5 });
    platform.pass(299_999);
    expect(last().state).toBe('code');
    platform.pass(1);
    expect(last().state).toBe('old_code');
  });

  test('hides the code once the phone has claimed it', async () => {
    const { follow, last, platform, client } = start();
    follow();
    await untilTrue(() => client.following === 1);
    client.pushView({ role: 'follower', state: 'opened' });
    await untilTrue(() => last().state === 'following');
    expect(last()).toMatchObject({ followed: 'opened', canGoBack: false });
    platform.pass(600_000);
    expect(last().state).toBe('following');
    expect(platform.timers).toBe(0);
  });

  test('hands over findings and browser name with each new code', async () => {
    const { follow, client } = start();
    const phone = follow();
    await untilTrue(() => client.following === 1);
    await phone.renewCode();
    const handover = { began: { browser: 'Firefox', system: 'Linux' }, findings: FINDINGS };
    expect(client.handedOn).toEqual([handover, handover]);
  });

  test.each([
    [{ wrongNumber: true }, 'other_number'],
    [{ handoffDeclined: true }, 'declined'],
  ] as const)('shows after %j that the code is void (%s) and can be replaced', async (told, state) => {
    const { follow, last, platform, client } = start();
    const phone = follow();
    await untilTrue(() => client.following === 1);
    client.pushView(told);
    await untilTrue(() => last().state === state);
    // Its expiry changes nothing.
    platform.pass(600_000);
    expect(last()).toMatchObject({ state, canGoBack: true });
    await phone.renewCode();
    expect(last()).toMatchObject({ state: 'code', url: 'https://limen.example/launch#handoff=2' });
  });

  test('offers no way back on a computer whose camera may not be used', async () => {
    const { follow, last, client } = start({ reason: 'desktop' });
    follow();
    await untilTrue(() => client.following === 1);
    expect(last()).toMatchObject({ reason: 'desktop', canGoBack: false });
  });

  test('reports a refused code', async () => {
    const { follow, client, platform } = start();
    client.meet('handoff', refused(403, 'forbidden'));
    await expect(follow().ended).rejects.toMatchObject({ code: 'forbidden' });
    expect([platform.timers, client.following]).toEqual([0, 0]);
  });
});

describe('following', () => {
  test('continues after a reload without a code', async () => {
    const { follow, last, client } = start({ isFollower: true });
    follow();
    await untilTrue(() => client.following === 1);
    expect(last()).toMatchObject({ state: 'following', canGoBack: false });
    expect(client.calls).not.toContain('handoff');
  });

  test('shows the phone’s progress up to the end', async () => {
    const { follow, last, client, platform } = start({ isFollower: true });
    const { ended } = follow();
    client.pushView({ state: 'capturing', progress: { step: 0, challengesDone: 1 } });
    await untilTrue(() => last().followed === 'face');
    client.pushView({ state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } });
    expect((await ended).end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
    expect([platform.timers, client.following]).toEqual([0, 0]);
  });

  test('shows nothing after the signal aborts', async () => {
    const { follow, control, screens, client, platform } = start();
    const phone = follow();
    await untilTrue(() => client.following === 1);
    const renewed = createPromise<void>();
    client.meet('handoff', () => renewed.promise);
    const renewing = expect(phone.renewCode()).rejects.toBe('enough');
    const shown = screens.length;
    control.abort('enough');
    await expect(phone.ended).rejects.toBe('enough');
    renewed.resolve();
    await renewing;
    platform.pass(600_000);
    await settle();
    expect(screens).toHaveLength(shown);
    expect([platform.timers, client.following]).toEqual([0, 0]);
  });
});
