import { measureEyeToMouth, takeInner } from '@limen/face-geometry';
import { drawLandmarks } from '@limen/face-geometry/testing/drawn-face.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHomography, fitHomography, type Homography, measureMotion } from './planarity.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Homographies of a moved picture that is entirely in front of the camera. */
const anyHomography = fc
  .tuple(
    ...[number(0.4, 2), number(-0.5, 0.5), number(-300, 300), number(-0.5, 0.5), number(0.4, 2), number(-300, 300)],
    number(-0.0006, 0.0006),
    number(-0.0006, 0.0006),
  )
  .map((values): Homography => Float64Array.from([...values, 1]));

const rest = drawLandmarks();

function mapAll(homography: Homography, points: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: points.length }, (_, i) => {
    const at = i - (i % 2);
    return applyHomography(homography, points[at]!, points[at + 1]!)[i % 2]!;
  });
}

function measure(before: ArrayLike<number>, after: ArrayLike<number>) {
  return measureMotion(takeInner(before), takeInner(after), measureEyeToMouth(after));
}

describe('a flat picture', () => {
  test('has no motion beyond a homography from any viewpoint', () => {
    fc.assert(
      fc.property(anyHomography, (homography) => {
        fc.pre(Math.abs(homography[0]! * homography[4]! - homography[1]! * homography[3]!) > 0.1);
        expect(measure(rest, mapAll(homography, rest)).beyondHomography).toBeLessThan(1e-5);
      }),
    );
  });

  test('has no motion beyond a similarity when shifted, rolled and moved closer', () => {
    const { beyondSimilarity } = measure(rest, drawLandmarks({ roll: 30, size: 120, x: 100 }));
    expect(beyondSimilarity).toBeLessThan(1e-6);
  });

  test('has its homography recovered', () => {
    const homography = Float64Array.from([1.1, 0.2, -30, -0.1, 0.8, 40, 0.0004, -0.0003, 1]);
    const found = fitHomography(takeInner(rest), takeInner(mapAll(homography, rest)))!;
    for (const [i, value] of homography.entries()) expect(found[i]).toBeCloseTo(value, 4);
  });
});

describe('a head', () => {
  test.each([
    { yaw: 20, pitch: 0 },
    { yaw: -25, pitch: 5 },
    { yaw: 0, pitch: 15 },
  ])('moves beyond a homography when turned by $yaw and $pitch degrees', (pose) => {
    const { beyondSimilarity, beyondHomography } = measure(rest, drawLandmarks(pose));
    expect(beyondHomography).toBeGreaterThan(0.035);
    expect(beyondHomography).toBeGreaterThan(0.5 * beyondSimilarity);
  });

  test('moves little beyond a similarity when it comes closer', () => {
    expect(measure(rest, drawLandmarks({ distance: 5 })).beyondSimilarity).toBeLessThan(0.02);
  });
});

test('treats points on one line or in one place as flat', () => {
  const line = Float64Array.from({ length: 102 }, (_, i) => i);
  const spot = new Float64Array(102).fill(7);
  const face = takeInner(rest);
  for (const points of [line, spot]) {
    expect(fitHomography(points, face)).toBeNull();
    expect(measureMotion(points, face, 100).beyondHomography).toBe(0);
  }
});
