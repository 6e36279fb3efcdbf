import { expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { limitPatience } from './until.ts';

function start() {
  const platform = createFakePlatform();
  const parent = new AbortController();
  return { platform, given: parent, patience: limitPatience(platform, 5_000, parent.signal) };
}

test('aborts when the time is over', () => {
  const { platform, given, patience } = start();
  platform.pass(4_999);
  expect(patience.signal.aborted).toBe(false);
  platform.pass(1);
  expect([patience.signal.aborted, given.signal.aborted]).toEqual([true, false]);
});

test('aborts with the parent signal and its reason', () => {
  const { given, patience } = start();
  given.abort('enough');
  expect(patience.signal.reason).toBe('enough');
});

test('is aborted from the start if the parent signal is', () => {
  const platform = createFakePlatform();
  expect(limitPatience(platform, 5_000, AbortSignal.abort('enough')).signal.reason).toBe('enough');
});

test('never aborts after a stop', () => {
  const { platform, given, patience } = start();
  patience.stop();
  platform.pass(600_000);
  given.abort('enough');
  expect([patience.signal.aborted, platform.timers]).toEqual([false, 0]);
});
