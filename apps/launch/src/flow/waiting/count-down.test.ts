import { expect, test } from 'vitest';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { countDown } from './count-down.ts';

function start(lastsMs: number) {
  const platform = createFakePlatform();
  const ticks: number[] = [];
  const stop = countDown(platform, platform.now() + lastsMs, (leftMs) => void ticks.push(leftMs));
  return { platform, ticks, stop };
}

test('reports the time left at once, every fifteen seconds, and at the end', () => {
  const { platform, ticks } = start(40_000);
  expect(ticks).toEqual([40_000]);
  platform.pass(14_999);
  expect(ticks).toHaveLength(1);
  platform.pass(1);
  expect(ticks).toEqual([40_000, 25_000]);
  platform.pass(600_000);
  expect(ticks).toEqual([40_000, 25_000, 10_000, 0]);
  expect(platform.timers).toBe(0);
});

test.each([0, -1])('ends at once for %i ms', (lastsMs) => {
  const { platform, ticks } = start(lastsMs);
  expect([ticks, platform.timers]).toEqual([[0], 0]);
});

test('reports nothing after a stop, even from within the callback', () => {
  const { platform, ticks, stop } = start(40_000);
  stop();
  platform.pass(600_000);
  expect([ticks, platform.timers]).toEqual([[40_000], 0]);

  const lefts: number[] = [];
  const stopOther = countDown(platform, platform.now() + 40_000, (leftMs) => {
    lefts.push(leftMs);
    if (leftMs < 40_000) stopOther();
  });
  platform.pass(600_000);
  expect([lefts, platform.timers]).toEqual([[40_000, 25_000], 0]);
});
