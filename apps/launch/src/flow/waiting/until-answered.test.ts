import { describe, expect, test } from 'vitest';
import { offline, refused } from '../../../testing/fakes/fake-device-client.ts';
import { createPromise, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { untilAnswered } from './until-answered.ts';

function start(call: () => Promise<string>) {
  const platform = createFakePlatform();
  const control = new AbortController();
  const waits: boolean[] = [];
  let calls = 0;
  const counted = () => {
    calls += 1;
    return call();
  };
  const onWaiting = (value: boolean) => void waits.push(value);
  const answer = untilAnswered(counted, { platform, signal: control.signal, onWaiting });
  return { platform, control, waits, answer, calls: () => calls };
}

describe('untilAnswered', () => {
  test('calls once if the call is answered', async () => {
    const { answer, waits, calls } = start(async () => 'yes');
    expect(await answer).toBe('yes');
    expect([calls(), waits]).toEqual([1, [false]]);
  });

  test('does not retry a refused call', async () => {
    const { answer, calls, waits } = start(() => Promise.reject(refused(409, 'session_ended')));
    await expect(answer).rejects.toMatchObject({ code: 'session_ended' });
    expect([calls(), waits]).toEqual([1, []]);
  });

  test('retries a lost call after pauses that grow to fifteen seconds', async () => {
    const { platform, calls, control, answer } = start(() => Promise.reject(offline()));
    for (const [index, pause] of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
      await untilTrue(() => platform.timers === 1);
      platform.pass(pause - 1);
      await settle();
      expect(calls()).toBe(index + 1);
      platform.pass(1);
      await untilTrue(() => calls() === index + 2);
    }
    control.abort('enough');
    await expect(answer).rejects.toBe('enough');
  });

  test('retries at once when the network is back', async () => {
    let isOnline = false;
    const { platform, answer, waits } = start(async () => {
      if (!isOnline) throw offline();
      return 'yes';
    });
    await untilTrue(() => platform.timers === 1);
    isOnline = true;
    platform.comeOnline();
    expect(await answer).toBe('yes');
    expect(waits).toEqual([true, false]);
    expect([platform.timers, platform.listeners]).toEqual([0, 0]);
  });
});

describe('the signal', () => {
  test('ends the waiting at once and leaves nothing behind', async () => {
    const { platform, control, answer } = start(() => Promise.reject(offline()));
    await untilTrue(() => platform.timers === 1);
    control.abort('enough');
    await expect(answer).rejects.toBe('enough');
    expect([platform.timers, platform.listeners]).toEqual([0, 0]);
  });

  test.each([
    ['answered', (call: ReturnType<typeof createPromise<string>>) => call.resolve('yes')],
    ['lost', (call: ReturnType<typeof createPromise<string>>) => call.reject(offline())],
    ['refused', (call: ReturnType<typeof createPromise<string>>) => call.reject(refused(409, 'session_ended'))],
  ])('takes precedence over a call that is %s after it', async (_, finish) => {
    const call = createPromise<string>();
    const { control, answer, waits, platform } = start(() => call.promise);
    control.abort('enough');
    finish(call);
    await expect(answer).rejects.toBe('enough');
    expect([waits, platform.timers]).toEqual([[], 0]);
  });
});
