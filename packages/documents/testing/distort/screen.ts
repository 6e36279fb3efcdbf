// A document shown on a screen: pixels with red, green and blue stripes, backlight, and a dark frame around it all.

import type { Picture } from '../../src/image/gray.ts';
import { type Bounds, layDocument, paint, type Scene, type Size } from './canvas.ts';
import type { Random } from './random.ts';

/** What the viewer program shows around the picture. */
const VIEWERS: readonly (readonly [number, number, number])[] = [
  [34, 36, 40],
  [240, 240, 242],
  [120, 124, 130],
];

/** The part of the screen that shines: more than the document, rarely in its middle. */
export function placeScreen({ width, height }: Size, random: Random): Bounds {
  return {
    left: -width / 2 - random.between(4, 26),
    right: width / 2 + random.between(4, 26),
    top: -height / 2 - random.between(3, 12),
    bottom: height / 2 + random.between(3, 12),
  };
}

/** The lit part, what it shows, and the bezel. The stripes come later: the scene is too coarse for them. */
export function lightScreen(scene: Scene, document: Picture, millimetres: Size, lit: Bounds, random: Random): void {
  const viewer = random.pick(VIEWERS);
  const bezel = random.between(6, 14);
  // The room is darker than the screen, or nobody could read it.
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
  layDocument(scene, document, millimetres);
  const glow = random.between(0.86, 0.96);
  paint(scene, lit, (_x, _y, at) => {
    // Backlight shines through black, whites come near the end of the range, and it is bluer than paper.
    scene.data[at] = 14 + 236 * (scene.data[at]! / 255) ** 1.15 * glow * 0.97;
    scene.data[at + 1] = 15 + 236 * (scene.data[at + 1]! / 255) ** 1.15 * glow;
    scene.data[at + 2] = 20 + 236 * (scene.data[at + 2]! / 255) ** 1.15 * glow * 1.05;
  });
}

export interface StripePattern {
  apply(data: Uint8ClampedArray, at: number, x: number, y: number): void;
}

const STEPS = 512;
/** How far a lens spreads a point, in pixels of the sensor. */
const LENS = 0.9;

/**
 * Stripes as the sensor's pixels see them: each averages over its own width, which is about that of a pixel of the screen,
 * so what is left of the stripes beats against the sensor's grid. That is the moiré.
 */
export function createStripes(pixelsPerMillimetre: number, lit: Bounds, random: Random): StripePattern {
  // From a phone (0.07 mm a pixel) to a laptop (0.2 mm).
  const pitch = random.between(0.07, 0.2);
  const sensor = 1 / pixelsPerMillimetre / pitch;
  const [red, green, blue] = [0, 1, 2].map((stripe) => averageOver(sensor, stripe / 3 + 0.02, 0.29)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const rows = averageOver(sensor, 0.06, 0.88);
  const turn = random.between(-0.03, 0.03);
  const [cos, sin] = [Math.cos(turn) / pitch, Math.sin(turn) / pitch];
  const { left, right, top, bottom } = lit;
  return {
    apply(data, at, x, y) {
      if (x < left || x > right || y < top || y > bottom) return;
      const u = x * cos + y * sin;
      const v = y * cos - x * sin;
      const column = ((u - Math.floor(u)) * STEPS) | 0;
      const row = rows[((v - Math.floor(v)) * STEPS) | 0]!;
      data[at] = data[at]! * red[column]! * row;
      data[at + 1] = data[at + 1]! * green[column]! * row;
      data[at + 2] = data[at + 2]! * blue[column]! * row;
    },
  };
}

/**
 * Light of a bar that shines from `start` for `length` of each period, as a sensor's pixel sees it that is `sensor`
 * periods wide: averaged over its own width, and over a little more, because the lens is not perfect. Its mean is 1.
 */
function averageOver(sensor: number, start: number, length: number): Float32Array {
  /** Light gathered from 0 to a place. */
  const gathered = (place: number) => {
    const whole = Math.floor(place);
    return whole + Math.min(1, Math.max(0, (place - whole - start) / length));
  };
  const seen = (middle: number) => (gathered(middle + sensor / 2) - gathered(middle - sensor / 2)) / sensor;
  const spots = 8;
  return Float32Array.from({ length: STEPS }, (_, step) => {
    let sum = 0;
    for (let spot = 0; spot < spots; spot += 1)
      sum += seen((step + 0.5) / STEPS + ((spot + 0.5) / spots - 0.5) * sensor * LENS);
    return sum / spots;
  });
}
