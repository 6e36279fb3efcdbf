import { expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { limitPatience } from './until.ts';

function start() {
  const platform = createFakePlatform();
  const parent = new AbortController();
  return { platform, parent, patience: limitPatience(platform, 5_000, parent.signal) };
}

test('aborts when the time is over', () => {
  const { platform, parent, patience } = start();
  platform.pass(4_999);
  expect(patience.signal.aborted).toBe(false);
  platform.pass(1);
  expect([patience.signal.aborted, parent.signal.aborted]).toEqual([true, false]);
});

test('aborts with the parent signal and its reason', () => {
  const { parent, patience } = start();
  parent.abort('enough');
  expect(patience.signal.reason).toBe('enough');
});

test('is aborted from the start if the parent signal is', () => {
  const platform = createFakePlatform();
  expect(limitPatience(platform, 5_000, AbortSignal.abort('enough')).signal.reason).toBe('enough');
});

test('never aborts after a stop', () => {
  const { platform, parent, patience } = start();
  patience.stop();
  platform.pass(600_000);
  parent.abort('enough');
  expect([patience.signal.aborted, platform.timers]).toEqual([false, 0]);
});
