// Whether somebody wears glasses: a line that runs level across the root of the nose, where a bare face has none.
import { ALIGNED_SIDE } from '@limen/face-geometry';

/** In the aligned picture: between the inner corners of the eyes, and from the brows to half way down the nose. */
const BRIDGE = { left: 52, right: 60, top: 42, bottom: 58 };

/**
 * Chosen on 86 faces, ten of them with glasses: bare ones reach 0.135 (the highest are turned away), glasses begin at
 * 0.150. Blur hides thin frames, strong noise looks like some: lab/results/age.md. So ask only when several frames say so.
 */
export const GLASSES_THRESHOLD = 0.14;

/**
 * The strongest level line on the bridge of the nose ÷ the brightness of the face, dark or bright alike: frames shine.
 * Each row is averaged first, so that furrows between the brows, which run upright, and noise hardly count.
 */
export function measureGlasses(grey: ArrayLike<number>, light: number): number {
  const { left, right, top, bottom } = BRIDGE;
  let strongest = 0;
  for (let y = top; y < bottom; y += 1) {
    const line = sumRow(grey, y - 1, left, right) + sumRow(grey, y + 1, left, right) - 2 * sumRow(grey, y, left, right);
    strongest = Math.max(strongest, Math.abs(line) / (right - left));
  }
  return strongest / Math.max(light, 1);
}

function sumRow(grey: ArrayLike<number>, y: number, left: number, right: number): number {
  let sum = 0;
  for (let x = left; x < right; x += 1) sum += grey[y * ALIGNED_SIDE + x]!;
  return sum;
}
