// JPEG-like loss: quantized 8 × 8 blocks, with color at half resolution.

import type { Picture } from '../../src/image/gray.ts';
import { toSamples, toWaves } from './waves.ts';

/** Example tables of the standard (ITU T.81, annex K), row by row. */
const LUMA = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
/** The lower half is all 99. */
const CHROMA = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
  99, 99, 99,
];

/** A square of 16 × 16 pixels: four luma blocks, and one per color difference. */
interface Square {
  readonly lights: Float64Array;
  readonly blues: Float64Array;
  readonly reds: Float64Array;
}

/** Works in place. `quality`: 50 to 100. Leaves the remainder at right and bottom. */
export function compressPicture(picture: Picture, quality: number): void {
  const { width, height, data } = picture;
  const scale = (200 - 2 * quality) / 100;
  const luma = Float64Array.from(LUMA, (step) => Math.max(1, Math.round(step * scale)));
  const chroma = Float64Array.from({ length: 64 }, (_, i) => Math.max(1, Math.round((CHROMA[i] ?? 99) * scale)));
  const square = { lights: new Float64Array(256), blues: new Float64Array(64), reds: new Float64Array(64) };
  for (let top = 0; top + 16 <= height; top += 16)
    for (let left = 0; left + 16 <= width; left += 16) {
      const start = (top * width + left) * 4;
      split(data, start, width * 4, square);
      for (let block = 0; block < 256; block += 64) roundWaves(square.lights, block, luma);
      roundWaves(square.blues, 0, chroma);
      roundWaves(square.reds, 0, chroma);
      join(data, start, width * 4, square);
    }
}

function split(data: Uint8ClampedArray, start: number, rowBytes: number, { lights, blues, reds }: Square): void {
  blues.fill(0);
  reds.fill(0);
  for (let y = 0; y < 16; y += 1) {
    let at = start + y * rowBytes;
    for (let x = 0; x < 16; x += 1) {
      const red = data[at]!;
      const green = data[at + 1]!;
      const blue = data[at + 2]!;
      const half = ((y >> 1) << 3) | (x >> 1);
      lights[findPlace(x, y)] = 0.299 * red + 0.587 * green + 0.114 * blue - 128;
      blues[half]! += (-0.1687 * red - 0.3313 * green + 0.5 * blue) * 0.25;
      reds[half]! += (0.5 * red - 0.4187 * green - 0.0813 * blue) * 0.25;
      at += 4;
    }
  }
}

function join(data: Uint8ClampedArray, start: number, rowBytes: number, { lights, blues, reds }: Square): void {
  for (let y = 0; y < 16; y += 1) {
    let at = start + y * rowBytes;
    for (let x = 0; x < 16; x += 1) {
      const half = ((y >> 1) << 3) | (x >> 1);
      const light = lights[findPlace(x, y)]! + 128;
      data[at] = light + 1.402 * reds[half]!;
      data[at + 1] = light - 0.3441 * blues[half]! - 0.7141 * reds[half]!;
      data[at + 2] = light + 1.772 * blues[half]!;
      at += 4;
    }
  }
}

function findPlace(x: number, y: number): number {
  return ((y >> 3) << 7) | ((x >> 3) << 6) | ((y & 7) << 3) | (x & 7);
}

function roundWaves(blocks: Float64Array, start: number, steps: Float64Array): void {
  for (let row = 0; row < 64; row += 8) toWaves(blocks, start + row, 1);
  for (let column = 0; column < 8; column += 1) toWaves(blocks, start + column, 8);
  for (let i = 0; i < 64; i += 1) blocks[start + i] = Math.round(blocks[start + i]! / steps[i]!) * steps[i]!;
  for (let column = 0; column < 8; column += 1) toSamples(blocks, start + column, 8);
  for (let row = 0; row < 64; row += 8) toSamples(blocks, start + row, 1);
}
