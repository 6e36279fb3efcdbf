import { expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { limitPatience } from './until.ts';

function start() {
  const platform = createFakePlatform();
  const given = new AbortController();
  return { platform, given, patience: limitPatience(platform, 5_000, given.signal) };
}

test('patience ends with the time', () => {
  const { platform, given, patience } = start();
  platform.pass(4_999);
  expect(patience.signal.aborted).toBe(false);
  platform.pass(1);
  expect([patience.signal.aborted, given.signal.aborted]).toEqual([true, false]);
});

test('patience ends with the signal that was given, and for its reason', () => {
  const { given, patience } = start();
  given.abort('enough');
  expect(patience.signal.reason).toBe('enough');
});

test('there is none where the signal was heard before', () => {
  const platform = createFakePlatform();
  expect(limitPatience(platform, 5_000, AbortSignal.abort('enough')).signal.reason).toBe('enough');
});

test('what came in time is given up by neither', () => {
  const { platform, given, patience } = start();
  patience.stop();
  platform.pass(600_000);
  given.abort('enough');
  expect([patience.signal.aborted, platform.timers]).toEqual([false, 0]);
});
