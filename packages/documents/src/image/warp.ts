// Reads a picture through a projective map, to rectify lines and cards.
import { type GrayImage, makeGray } from './gray.ts';
import { fitHomography, type Homography, type Quad } from './homography.ts';

/** Rectifies the area of `quad` to `width` × `height`; null for a degenerate quad. */
export function cutQuad(image: GrayImage, quad: Quad, width: number, height: number): GrayImage | null {
  const rectangle: Quad = [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ];
  const map = fitHomography(rectangle, quad);
  return map === null ? null : warp(image, map, width, height);
}

/** `map`: from new to old. Averages when scaling down. Repeats the border outside. */
export function warp(image: GrayImage, map: Homography, width: number, height: number): GrayImage {
  const out = makeGray(width, height);
  const samples = countSamples(map, width, height);
  const share = 1 / (samples * samples);
  const [a, b, c, d, e, f, g, h, i] = map as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const { width: fromWidth, data } = image;
  const lastX = image.width - 1.001;
  const lastY = image.height - 1.001;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let j = 0; j < samples; j += 1) {
        const v = y + (j + 0.5) / samples;
        for (let k = 0; k < samples; k += 1) {
          const u = x + (k + 0.5) / samples;
          const w = 1 / (g * u + h * v + i);
          let fromX = (a * u + b * v + c) * w - 0.5;
          let fromY = (d * u + e * v + f) * w - 0.5;
          fromX = fromX < 0 ? 0 : fromX > lastX ? lastX : fromX;
          fromY = fromY < 0 ? 0 : fromY > lastY ? lastY : fromY;
          const left = fromX | 0;
          const top = fromY | 0;
          const right = fromX - left;
          const down = fromY - top;
          const at = top * fromWidth + left;
          const upper = data[at]! + (data[at + 1]! - data[at]!) * right;
          const below = at + fromWidth;
          const lower = data[below]! + (data[below + 1]! - data[below]!) * right;
          sum += upper + (lower - upper) * down;
        }
      }
      out.data[y * width + x] = sum * share + 0.5;
    }
  }
  return out;
}

/** Samples per side of a new pixel, by its size in the old picture at the middle. */
function countSamples(map: Homography, width: number, height: number): number {
  const [x, y] = [width / 2, height / 2];
  const w = map[6]! * x + map[7]! * y + map[8]!;
  const u = (map[0]! * x + map[1]! * y + map[2]!) / w;
  const v = (map[3]! * x + map[4]! * y + map[5]!) / w;
  const across = Math.hypot(map[0]! - map[6]! * u, map[3]! - map[6]! * v) / Math.abs(w);
  const down = Math.hypot(map[1]! - map[7]! * u, map[4]! - map[7]! * v) / Math.abs(w);
  return Math.min(3, Math.max(1, Math.round(Math.max(across, down))));
}
