import { decode, encode } from 'jpeg-js';
import { describe, expect, it } from 'vitest';
import type { Picture } from '../../src/image/gray.ts';
import { compressPicture } from './compress.ts';
import { createRandom } from './random.ts';
import { toSamples, toWaves } from './waves.ts';

/** Draws gray strokes and grain, 64 × 64. */
function drawPattern(): Picture {
  const random = createRandom(3);
  const data = new Uint8ClampedArray(64 * 64 * 4);
  for (let i = 0; i < 64 * 64; i += 1) {
    const level = ((i % 64) + (i >> 6)) % 11 < 4 ? 40 : 210;
    data.set([level, level, level, 255], i * 4);
    data.fill(level + 8 * random.normal(), i * 4, i * 4 + 3);
  }
  return { width: 64, height: 64, data };
}

function measureLoss(a: Picture, b: { data: ArrayLike<number> }): number {
  return a.data.reduce((sum, value, at) => sum + Math.abs(value - b.data[at]!), 0) / a.data.length;
}

describe('compression', () => {
  it.each([90, 75, 60])('loses about as much as an encoder at quality %i', (quality) => {
    const original = drawPattern();
    const own = { ...original, data: original.data.slice() };
    compressPicture(own, quality);
    const peer = decode(encode({ ...original, data: Buffer.from(original.data) }, quality).data, { useTArray: true });
    expect(measureLoss(original, own)).toBeGreaterThan(0.8 * measureLoss(original, peer));
    expect(measureLoss(original, own)).toBeLessThan(1.2 * measureLoss(original, peer));
  });

  it('restores eight samples from their waves', () => {
    const random = createRandom(1);
    const samples = Float64Array.from({ length: 8 }, () => random.between(-128, 127));
    const waves = samples.slice();
    toWaves(waves, 0, 1);
    const power = (values: Float64Array) => values.reduce((sum, value) => sum + value * value, 0);
    expect(power(waves)).toBeCloseTo(power(samples), 6);
    toSamples(waves, 0, 1);
    for (let i = 0; i < 8; i += 1) expect(waves[i]).toBeCloseTo(samples[i]!, 9);
  });

  it('transforms an even tone to its first wave only', () => {
    const tone = new Float64Array(8).fill(10);
    toWaves(tone, 0, 1);
    expect(tone[0]).toBeCloseTo(10 * Math.sqrt(8), 9);
    expect(Math.max(...tone.subarray(1).map(Math.abs))).toBeLessThan(1e-9);
  });
});
