// A simple portrait for documents that need no detectable face.

import type { Picture } from '../../src/image/gray.ts';
import { createRandom } from '../distort/random.ts';

type Color = readonly [number, number, number];

const SKINS: readonly Color[] = [
  [236, 200, 176],
  [214, 168, 136],
  [164, 116, 86],
  [112, 76, 56],
];
const HAIRS: readonly Color[] = [
  [40, 30, 26],
  [96, 64, 40],
  [176, 136, 80],
  [120, 120, 122],
];
const CLOTHES: readonly Color[] = [
  [60, 80, 120],
  [110, 50, 60],
  [50, 90, 80],
  [70, 70, 76],
];
const WIDTH = 350;
const HEIGHT = 450;

/** Draws head and shoulders in front of a light wall. */
export function drawSilhouette(seed: number): Picture {
  const random = createRandom(seed * 7 + 1);
  const [skin, hair, cloth] = [random.pick(SKINS), random.pick(HAIRS), random.pick(CLOTHES)];
  const hasLongHair = random.next() < 0.5;
  const [wide, mouth] = [random.between(0.92, 1.06), random.between(18, 26)];
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4).fill(255);
  const [cx, cy] = [WIDTH / 2, 195];
  const shade = (y: number) => [skin[0] * y, skin[1] * y * 0.98, skin[2] * y * 0.95] as const;
  for (let x = 0; x < WIDTH; x += 1) {
    const light = 228 - 0.08 * (x - cx);
    for (let y = 0; y < HEIGHT; y += 1) data.set([light - 2, light + 2, light + 6], (y * WIDTH + x) * 4);
  }
  if (hasLongHair) fillEllipse(data, hair, cx, cy + 35, 118 * wide, 165);
  fillEllipse(data, cloth, cx, 470, 165, 120);
  fillEllipse(data, shade(0.84), cx, 330, 46, 80, { bottom: 405 });
  fillEllipse(data, hair, cx, cy - 22, 100 * wide, 122);
  for (const side of [-1, 1]) fillEllipse(data, shade(0.84), cx + side * 90 * wide, cy + 12, 13, 24);
  // The face ends at the hairline.
  fillEllipse(data, shade(1.02), cx, cy + 12, 88 * wide, 116, { top: cy - 52 });
  fillEllipse(data, shade(0.95), cx + 34, cy + 62, 34, 40, { part: 0.35 });
  for (const side of [-1, 1]) {
    const eye = cx + side * 37;
    fillEllipse(data, hair, eye, cy - 25, 23, 4.5, { part: 0.85 });
    fillEllipse(data, [246, 244, 242], eye, cy, 17, 8.5);
    fillEllipse(data, [70, 56, 44], eye, cy, 8, 8.5);
    fillEllipse(data, [16, 14, 14], eye, cy, 3.8, 3.8);
    fillEllipse(data, shade(0.8), cx + side * 10, cy + 50, 6, 4);
  }
  fillEllipse(data, shade(0.84), cx + 9, cy + 28, 4, 24, { part: 0.7 });
  fillEllipse(data, [164, 84, 82], cx, cy + 78, mouth * 1.2, 7);
  fillEllipse(data, [120, 56, 58], cx, cy + 78, mouth * 1.1, 1.8);
  return { width: WIDTH, height: HEIGHT, data };
}

/** Fills with anti-aliasing, between two heights. */
function fillEllipse(
  data: Uint8ClampedArray,
  color: Color,
  cx: number,
  cy: number,
  rx: number,
  ry: number,
  { top = 0, bottom = HEIGHT, part = 1 } = {},
): void {
  const last = Math.min(bottom, HEIGHT, Math.ceil(cy + ry + 2));
  for (let y = Math.max(top, 0, Math.floor(cy - ry - 2)); y < last; y += 1)
    for (let x = Math.max(0, Math.floor(cx - rx - 2)); x < Math.min(WIDTH, cx + rx + 2); x += 1) {
      const inside = (1 - Math.sqrt(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2)) * Math.min(rx, ry);
      const cover = Math.max(0, Math.min(1, inside / 2 + 0.5)) * part;
      const at = (y * WIDTH + x) * 4;
      for (let channel = 0; channel < 3; channel += 1)
        data[at + channel] = data[at + channel]! + (color[channel]! - data[at + channel]!) * cover;
    }
}
