// The delays between attempts, and their jitter.
import { WEBHOOK_RETRY_HOURS } from '@limen/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deferralMs, retryDelayMs } from './retry-schedule.ts';

const fraction = fc.double({ min: 0, max: 1, noNaN: true });

it('waits 5 s, 1 min, 5 min, 30 min, 2 h, 5 h and 10 h, and then no more', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => retryDelayMs(attempt, 0.5));
  const seconds = [5, 60, 300, 1_800, 7_200, 18_000, 36_000];
  expect(waits).toEqual([...seconds.map((wait) => wait * 1_000), undefined, undefined]);
  expect(Math.round(seconds.reduce((sum, wait) => sum + wait) / 3_600)).toBe(WEBHOOK_RETRY_HOURS);
});

it('varies a delay by at most a tenth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fraction, (attempt, random) => {
      const ratio = retryDelayMs(attempt, random)! / retryDelayMs(attempt, 0.5)!;
      expect(ratio).toBeCloseTo(0.9 + random * 0.2, 3);
    }),
  );
});

it('postpones a queued delivery for longer each time, up to a minute', () => {
  expect([0, 1, 2, 5, 6, 60, 5_000].map((deferrals) => deferralMs(deferrals, 0.5))).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});
