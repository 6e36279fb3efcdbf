// JPEG's losses on a gray picture: blocks of cosines, rounded more coarsely at lower quality.
import type { Random } from './random.ts';

// Luminance table of the JPEG standard, annex K.
const TABLE = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
const COSINES = Float32Array.from({ length: 64 }, (_, index) => {
  const frequency = index >> 3;
  return Math.cos((((index & 7) + 0.5) * frequency * Math.PI) / 8) * (frequency === 0 ? Math.SQRT1_2 / 2 : 0.5);
});

const block = new Float32Array(64);
const half = new Float32Array(64);
const quanta = new Float32Array(64);

/** In place. Blocks start anywhere, because a line is cut from a larger picture. */
export function passJpeg(random: Random, picture: Float32Array, columns: number, rows: number, quality: number): void {
  const scale = quality < 50 ? 50 / quality : 2 - quality / 50;
  for (let index = 0; index < 64; index += 1) quanta[index] = Math.max(1, Math.round(TABLE[index]! * scale));
  const startX = -random.below(8);
  const startY = -random.below(8);
  for (let y = startY; y < rows; y += 8)
    for (let x = startX; x < columns; x += 8) passBlock(picture, columns, rows, x, y);
}

function passBlock(picture: Float32Array, columns: number, rows: number, x: number, y: number): void {
  for (let index = 0; index < 64; index += 1) {
    const column = Math.max(0, Math.min(columns - 1, x + (index & 7)));
    const row = Math.max(0, Math.min(rows - 1, y + (index >> 3)));
    block[index] = picture[row * columns + column]! - 128;
  }
  transform(block, half, false);
  transform(half, block, false);
  for (let index = 0; index < 64; index += 1)
    block[index] = Math.round(block[index]! / quanta[index]!) * quanta[index]!;
  transform(block, half, true);
  transform(half, block, true);
  for (let index = 0; index < 64; index += 1) {
    const column = x + (index & 7);
    const row = y + (index >> 3);
    if (column < 0 || row < 0 || column >= columns || row >= rows) continue;
    picture[row * columns + column] = Math.max(0, Math.min(255, block[index]! + 128));
  }
}

/** Transforms rows to cosines or back, and transposes for the columns. */
function transform(from: Float32Array, to: Float32Array, isBack: boolean): void {
  for (let row = 0; row < 8; row += 1)
    for (let index = 0; index < 8; index += 1) {
      let sum = 0;
      for (let at = 0; at < 8; at += 1) sum += from[row * 8 + at]! * COSINES[isBack ? at * 8 + index : index * 8 + at]!;
      to[index * 8 + row] = sum;
    }
}
