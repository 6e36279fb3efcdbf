// The runtime's own text is the measure.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from './iso-time.ts';

const LAST = 8.64e15;

it.each([0, -1, 0.5, -0.5, 86_399_999, 86_400_000, 253_402_300_800_000, LAST, -LAST])('%d', (moment) => {
  expect(isoTime(moment)).toBe(new Date(moment).toISOString());
});

it('says of any moment what the runtime says, whatever was asked before', () => {
  const near = fc.integer({ min: 1_790_000_000_000, max: 1_790_000_400_000 });
  fc.assert(
    fc.property(
      fc.oneof(
        near,
        fc.maxSafeInteger().map((moment) => moment % LAST),
      ),
      (moment) => {
        expect(isoTime(moment)).toBe(new Date(moment).toISOString());
      },
    ),
  );
});

it('refuses what is no moment', () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, LAST + 1])
    expect(() => isoTime(wrong)).toThrow(RangeError);
});
