// Places on a face at which light is measured.
import type { Box } from '@limen/face-geometry';
import { ALIGNED_SIDE } from '@limen/face-geometry';

/** Skin on most people, without eyes, lips and brows: center and half a side. */
const PLACES: readonly (readonly [x: number, y: number, half: number])[] = [
  [56, 31, 8],
  [36, 33, 7],
  [76, 33, 7],
  [56, 58, 5],
  [56, 69, 5],
  [36, 73, 8],
  [76, 73, 8],
  [23, 70, 5],
  [89, 70, 5],
  [31, 96, 6],
  [81, 96, 6],
  [56, 106, 6],
];

export const PATCHES: readonly Box[] = PLACES.map(([x, y, half]) => ({
  x: x - half,
  y: y - half,
  width: half * 2,
  height: Math.min(half * 2, ALIGNED_SIDE - y + half),
}));

/** Mirrored places, and how much they face sideways: an oblique screen favors one side. */
export const MIRRORED: readonly { sides: readonly [number, number]; slant: number }[] = [
  { sides: [1, 2], slant: 0.46 },
  { sides: [5, 6], slant: 0.46 },
  { sides: [7, 8], slant: 1 },
  { sides: [9, 10], slant: 0.72 },
];

/** Skin visible on most heads, for the response of the whole face: more area means less noise. */
const SKIN = { x: 56, y: 62, width: 38, height: 46 };
/** Eyes with brows, and the mouth, which open and close. */
const MOVING: readonly Box[] = [
  { x: 24, y: 38, width: 28, height: 20 },
  { x: 60, y: 38, width: 28, height: 20 },
  { x: 36, y: 84, width: 40, height: 18 },
];

/** Indices of pixels in the aligned picture, row by row. */
export const SKIN_PIXELS: Uint16Array = Uint16Array.from(
  Array.from({ length: ALIGNED_SIDE ** 2 }, (_, i) => i).filter((i) => {
    const [x, y] = [(i % ALIGNED_SIDE) + 0.5, Math.floor(i / ALIGNED_SIDE) + 0.5];
    const isSkin = ((x - SKIN.x) / SKIN.width) ** 2 + ((y - SKIN.y) / SKIN.height) ** 2 < 1;
    return isSkin && !MOVING.some((box) => isInside(box, x, y));
  }),
);

function isInside(box: Box, x: number, y: number): boolean {
  return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
}
