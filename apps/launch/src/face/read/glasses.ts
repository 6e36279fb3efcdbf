// Detects glasses by a horizontal line across the bridge of the nose.
import { ALIGNED_SIDE } from '@limen/face-geometry';

/** In the aligned picture, between the inner corners of the eyes, from brows to mid-nose. */
const BRIDGE = { left: 52, right: 60, top: 42, bottom: 58 };

/**
 * Chosen on 86 faces, ten with glasses: bare faces reach 0.135 (the highest are turned away),
 * glasses start at 0.150. Blur hides thin frames and strong noise imitates them
 * (lab/results/age.md), so several frames must agree.
 */
export const GLASSES_THRESHOLD = 0.14;

/**
 * Returns the strongest horizontal line on the bridge relative to the brightness, dark or bright,
 * because frames shine. Rows are averaged first, which suppresses vertical furrows and noise.
 */
export function measureGlasses(gray: ArrayLike<number>, light: number): number {
  const { left, right, top, bottom } = BRIDGE;
  let strongest = 0;
  for (let y = top; y < bottom; y += 1) {
    const line = sumRow(gray, y - 1, left, right) + sumRow(gray, y + 1, left, right) - 2 * sumRow(gray, y, left, right);
    strongest = Math.max(strongest, Math.abs(line) / (right - left));
  }
  return strongest / Math.max(light, 1);
}

function sumRow(gray: ArrayLike<number>, y: number, left: number, right: number): number {
  let sum = 0;
  for (let x = left; x < right; x += 1) sum += gray[y * ALIGNED_SIDE + x]!;
  return sum;
}
