// A document on a screen with backlight and bezel. Its grid is in screen-kinds.ts.

import type { Picture } from '../../src/image/gray.ts';
import { type Bounds, layDocument, paint, type Scene, type Size } from './canvas.ts';
import type { Random } from './random.ts';

/** Viewer program around the picture. */
const VIEWERS: readonly (readonly [number, number, number])[] = [
  [34, 36, 40],
  [240, 240, 242],
  [120, 124, 130],
];

/** Places the lit part of the screen: larger than the document, rarely centered. */
export function placeScreen({ width, height }: Size, random: Random): Bounds {
  return {
    left: -width / 2 - random.between(4, 26),
    right: width / 2 + random.between(4, 26),
    top: -height / 2 - random.between(3, 12),
    bottom: height / 2 + random.between(3, 12),
  };
}

/** Draws lit area, content and bezel. The grid comes later, because the scene is too coarse. */
export function lightScreen(scene: Scene, document: Picture, millimeters: Size, lit: Bounds, random: Random): void {
  const viewer = random.pick(VIEWERS);
  const bezel = random.between(6, 14);
  // The room is darker than the screen.
  for (let at = 0; at < scene.data.length; at += 4)
    for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = scene.data[at + channel]! * 0.5;
  const outer = {
    left: lit.left - bezel,
    right: lit.right + bezel,
    top: lit.top - bezel,
    bottom: lit.bottom + bezel * 1.6,
  };
  paint(scene, outer, (x, y, at) => {
    const edge = Math.min(x - outer.left, outer.right - x, y - outer.top, outer.bottom - y);
    const level = edge < 0.8 ? 62 : 17;
    for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = level;
  });
  paint(scene, lit, (_x, _y, at) => {
    for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = viewer[channel]!;
  });
  layDocument(scene, document, millimeters);
  const glow = random.between(0.86, 0.96);
  // Black is backlit, white is nearly clipped, and everything is bluer than paper.
  const [red, green, blue] = [
    [14, 0.97],
    [15, 1],
    [20, 1.05],
  ].map(([black, tint]) =>
    Uint8ClampedArray.from({ length: 256 }, (_, level) => black! + 236 * (level / 255) ** 1.15 * glow * tint!),
  ) as [Uint8ClampedArray, Uint8ClampedArray, Uint8ClampedArray];
  paint(scene, lit, (_x, _y, at) => {
    scene.data[at] = red[scene.data[at]!]!;
    scene.data[at + 1] = green[scene.data[at + 1]!]!;
    scene.data[at + 2] = blue[scene.data[at + 2]!]!;
  });
}
