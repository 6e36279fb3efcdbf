// Weights in fewer bits: how far they may be off.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compact, encodeFloat32 } from './encode-values.ts';

const values = fc.float32Array({
  minLength: 1,
  maxLength: 60,
  noNaN: true,
  noDefaultInfinity: true,
  min: -1e6,
  max: 1e6,
});

const readSteps = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset);

test('floats are written as they are, smallest byte first', () => {
  expect(Buffer.from(encodeFloat32(Float32Array.of(1, -2.5))).toString('hex')).toBe('0000803f000020c0');
});

test('a compacted value is off by less than a sixty-thousandth of the largest of its channel', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 7 }), (given, channels) => {
      const { bytes, factors } = compact(given, channels, (index) => index % channels);
      for (const [index, value] of given.entries()) {
        const channel = index % channels;
        const largest = Math.max(...given.filter((_, at) => at % channels === channel).map(Math.abs));
        const read = readSteps(bytes).getInt16(index * 2, true) * factors[channel]!;
        // Half a step, and what a factor of 32 bits adds to it.
        expect(Math.abs(read - value)).toBeLessThanOrEqual(largest / 60_000 + 1e-38);
      }
    }),
  );
});

test('a channel does not suffer from a larger one', () => {
  const { bytes, factors } = compact(Float32Array.of(1000, 0.001, -1000, -0.0005), 2, (index) => index % 2);
  expect(readSteps(bytes).getInt16(2, true) * factors[1]!).toBeCloseTo(0.001, 9);
  expect(readSteps(bytes).getInt16(6, true) * factors[1]!).toBeCloseTo(-0.0005, 7);
});

test('a channel of zeros stays zero', () => {
  const { bytes, factors } = compact(Float32Array.of(0, 5), 2, (index) => index);
  expect([readSteps(bytes).getInt16(0, true), factors[0]]).toEqual([0, 1]);
});
