import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compact, encodeFloat32, encodeSteps, FINE, splitSteps } from './encode-values.ts';

const values = fc.float32Array({
  minLength: 1,
  maxLength: 60,
  noNaN: true,
  noDefaultInfinity: true,
  min: -1e6,
  max: 1e6,
});

test('writes floats in little-endian order', () => {
  expect(Buffer.from(encodeFloat32(Float32Array.of(1, -2.5))).toString('hex')).toBe('0000803f000020c0');
});

test.each([
  [8, 250],
  [10, 1000],
  [16, 60_000],
])('keeps the error of a value in %d bits below its channel’s maximum divided by %d', (bits, least) => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 7 }), (given, channels) => {
      const { steps, factors } = compact(given, bits, channels, (index) => index % channels);
      for (const [index, value] of given.entries()) {
        const channel = index % channels;
        const largest = Math.max(...given.filter((_, at) => at % channels === channel).map(Math.abs));
        const read = steps[index]! * factors[channel]!;
        // Half a step, and the rounding of the 32-bit factor.
        expect(Math.abs(read - value)).toBeLessThanOrEqual(largest / least + 1e-38);
      }
    }),
  );
});

test('keeps the precision of a channel next to a larger one', () => {
  const { steps, factors } = compact(Float32Array.of(1000, 0.001, -1000, -0.0005), 16, 2, (index) => index % 2);
  expect(steps[1]! * factors[1]!).toBeCloseTo(0.001, 9);
  expect(steps[3]! * factors[1]!).toBeCloseTo(-0.0005, 7);
});

test('keeps a channel of zeros', () => {
  const { steps, factors } = compact(Float32Array.of(0, 5), 16, 2, (index) => index);
  expect([steps[0], factors[0]]).toEqual([0, 1]);
});

test('writes steps in one or two bytes, in little-endian order', () => {
  expect([...encodeSteps(Int16Array.of(-1, 100), 'int8')]).toEqual([255, 100]);
  expect([...encodeSteps(Int16Array.of(-2, 300), 'int16')]).toEqual([254, 255, 44, 1]);
});

test('splits steps of ten bits into two parts of a byte that add up again', () => {
  const steps = Int16Array.from({ length: 1023 }, (_, index) => index - 511);
  const { coarse, fine } = splitSteps(steps);
  expect(steps.map((_, index) => coarse[index]! * FINE + fine[index]!)).toEqual(steps);
  expect([Math.min(...coarse), Math.max(...coarse), Math.min(...fine), Math.max(...fine)]).toEqual([-128, 127, 0, 3]);
});
