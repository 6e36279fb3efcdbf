// Where a head points, from its landmarks: a generic face is turned until it lies on them.

import { GENERIC_FACE } from './generic-face.ts';
import type { Points } from './geometry.ts';
import { takeFive, takeInner } from './landmarks.ts';
import { createLeastSquares, dot } from './solve.ts';

export interface Pose {
  /** Degrees; above 0 towards the person's own left. Beyond 60 it is read as about 50. */
  yaw: number;
  /** Degrees; above 0 upwards. */
  pitch: number;
  /** Degrees; above 0 clockwise in the picture. */
  roll: number;
}

/**
 * Weak perspective: the best affine camera for the generic face, and the rotation nearest to it. A picture that is
 * tilted makes the camera oblique, which the nearest rotation mostly ignores. Null where the points give no camera.
 */
export function estimatePose(landmarks: Points): Pose | null {
  const inner = takeInner(landmarks);
  const across = createLeastSquares(4);
  const down = createLeastSquares(4);
  for (let i = 0; i < inner.length / 2; i += 1) {
    const factors = [GENERIC_FACE[i * 3]!, GENERIC_FACE[i * 3 + 1]!, GENERIC_FACE[i * 3 + 2]!, 1];
    across.add(factors, inner[i * 2]!);
    down.add(factors, inner[i * 2 + 1]!);
  }
  const first = across.solve();
  const second = down.solve();
  const rows = first && second && makeOrthogonal(first, second);
  if (!rows) return null;

  const [[xx, , xz], [yx, , yz]] = rows;
  const roll = Math.atan2(yx, xx);
  // Where the face looks, as it would be seen with the head upright.
  const sideways = Math.cos(roll) * xz + Math.sin(roll) * yz;
  const downwards = -Math.sin(roll) * xz + Math.cos(roll) * yz;
  const towards = Math.sqrt(Math.max(1 - sideways ** 2 - downwards ** 2, 0));
  return {
    yaw: toDegrees(Math.atan2(sideways, towards)),
    pitch: toDegrees(Math.atan2(-downwards, towards)),
    roll: toDegrees(roll),
  };
}

/** A second opinion on the yaw: how far the nose is off the line from the eyes to the mouth. */
export function estimateYawFromNose(landmarks: Points): number {
  const [ax, ay, bx, by, noseX, noseY, cx, cy, dx, dy] = takeFive(landmarks) as Ten;
  const axisX = (cx + dx - ax - bx) / 2;
  const axisY = (cy + dy - ay - by) / 2;
  const offset = (noseX - (ax + bx) / 2) * axisY - (noseY - (ay + by) / 2) * axisX;
  const share = offset / Math.hypot(axisX, axisY) / Math.hypot(bx - ax, by - ay);
  // 1.55 was fitted to pictures of known pose, where both ways agree with r = 0.98.
  return toDegrees(Math.atan(1.55 * share));
}

type Ten = [number, number, number, number, number, number, number, number, number, number];
type Row = [number, number, number];

/** (M·Mᵀ)^(−1/2)·M of the two rows: of unit length, at right angles, and as near to the given ones as can be. */
function makeOrthogonal(first: Float64Array, second: Float64Array): [Row, Row] | null {
  const one: Row = [first[0]!, first[1]!, first[2]!];
  const two: Row = [second[0]!, second[1]!, second[2]!];
  const p = dot(one, one);
  const q = dot(one, two);
  const r = dot(two, two);
  const root = Math.sqrt(p * r - q * q);
  if (!(root > 1e-12)) return null;
  // Square root of a symmetric 2 × 2 matrix in closed form, then its inverse.
  const trace = Math.sqrt(p + r + 2 * root);
  const a = (p + root) / trace;
  const b = q / trace;
  const d = (r + root) / trace;
  const area = a * d - b * b;
  const mix = (s: number, t: number): Row => [
    (s * one[0] + t * two[0]) / area,
    (s * one[1] + t * two[1]) / area,
    (s * one[2] + t * two[2]) / area,
  ];
  return [mix(d, -b), mix(-b, a)];
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
