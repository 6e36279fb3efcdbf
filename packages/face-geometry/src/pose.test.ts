import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawLandmarks } from '../testing/drawn-face.ts';
import { estimatePose, estimateYawFromNose } from './pose.ts';

/** Far enough to have no perspective, which the fit does not model. */
const FAR = 1e5;
const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });

describe('the pose of a head', () => {
  test('is exact for the generic head at a distance', () => {
    fc.assert(
      fc.property(degrees(50), (angle) => {
        expect(estimatePose(drawLandmarks({ yaw: angle, distance: FAR }))!.yaw).toBeCloseTo(angle, 1);
        expect(estimatePose(drawLandmarks({ pitch: angle, distance: FAR }))!.pitch).toBeCloseTo(angle, 1);
      }),
    );
  });

  test('is positive toward the person’s left and upwards', () => {
    const left = drawLandmarks({ yaw: 20 });
    expect(left[60]! - (left[72]! + left[90]!) / 2).toBeGreaterThan(0);
    expect(estimatePose(left)!.yaw).toBeGreaterThan(15);
    expect(estimateYawFromNose(left)).toBeGreaterThan(15);
    const up = drawLandmarks({ pitch: 20 });
    expect(up[61]!).toBeLessThan(drawLandmarks()[61]!);
    expect(estimatePose(up)!.pitch).toBeGreaterThan(15);
  });

  test('is invariant to rotation, shift and scale of the picture', () => {
    fc.assert(
      fc.property(
        degrees(30),
        degrees(20),
        degrees(60),
        fc.integer({ min: 20, max: 300 }),
        (yaw, pitch, roll, size) => {
          const upright = estimatePose(drawLandmarks({ yaw, pitch }))!;
          const rolled = estimatePose(drawLandmarks({ yaw, pitch, roll, size, x: 70, y: 900 }))!;
          expect(rolled.yaw).toBeCloseTo(upright.yaw, 4);
          expect(rolled.pitch).toBeCloseTo(upright.pitch, 4);
          expect(rolled.roll - upright.roll).toBeCloseTo(roll, 4);
        },
      ),
    );
  });

  test('is estimated by the nose alone within a fifth', () => {
    for (const yaw of [-30, -20, -10, 10, 20, 30]) {
      const landmarks = drawLandmarks({ yaw });
      const ratio = estimateYawFromNose(landmarks) / estimatePose(landmarks)!.yaw;
      expect(ratio).toBeGreaterThan(0.8);
      expect(ratio).toBeLessThan(1.2);
    }
  });

  test('is null if all points coincide', () => {
    expect(estimatePose(new Float64Array(136).fill(5))).toBeNull();
  });
});
