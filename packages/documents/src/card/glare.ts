// Finds light that a document mirrors: a spot in which everything is burnt to white.
import { findComponents } from '../image/components.ts';
import { type GrayImage, makeGray } from '../image/gray.ts';
import type { Box } from './box.ts';

/** Sensors and their compression rarely give a clean 255. */
const BURNT = 249;
const STEP = 4;

/** The largest burnt spot as a share of the box. Paper that is all white is no spot: then nothing can be told. */
export function measureGlare(image: GrayImage, { left, top, right, bottom }: Box): number {
  const small = makeGray(
    Math.max(1, Math.floor((right - left) / STEP)),
    Math.max(1, Math.floor((bottom - top) / STEP)),
  );
  let burnt = 0;
  for (let y = 0, i = 0; y < small.height; y += 1) {
    for (let x = 0; x < small.width; x += 1, i += 1) {
      const at = (top + y * STEP) * image.width + left + x * STEP;
      // Two pixels of each block do: print within a spot of glare is burnt too.
      const value = Math.min(image.data[at]!, image.data[at + (STEP >> 1) * (image.width + 1)] ?? 0);
      small.data[i] = value;
      if (value > BURNT) burnt += 1;
    }
  }
  const area = small.width * small.height;
  if (burnt > area * 0.6) return 0;
  let largest = 0;
  for (const spot of findComponents(small, BURNT, 8)) largest = Math.max(largest, spot.area);
  return largest / area;
}
