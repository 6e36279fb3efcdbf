import { expect, test } from 'vitest';
import { combineFrames, compareEmbeddings } from './embed.ts';

const near = (x: number, y: number) => Float32Array.of(1, x, y).map((value) => value / Math.hypot(1, x, y));

test('combines the frames of a face into one unit vector', () => {
  const combined = combineFrames([near(0.1, 0), near(-0.1, 0), near(0, 0.1)])!;
  expect(Math.hypot(...combined)).toBeCloseTo(1, 6);
  expect(compareEmbeddings(combined, near(0, 0.03))).toBeGreaterThan(0.999);
});

test('leaves out a frame that differs from the rest', () => {
  const good = [near(0.1, 0), near(-0.1, 0), near(0, 0.1), near(0, -0.1)];
  expect(compareEmbeddings(combineFrames([...good, Float32Array.of(0, 0, 1)])!, near(0, 0))).toBeGreaterThan(0.9999);
});

test('returns null for frames without similarity', () => {
  expect(combineFrames([Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0), Float32Array.of(0, 0, 1)])).toBeNull();
  expect(combineFrames([])).toBeNull();
});
