// Brightness gradient along x and y (Sobel).
import type { GrayImage } from './gray.ts';

export interface Gradient {
  readonly width: number;
  readonly height: number;
  /** Four times the change per pixel; 0 at the border. */
  readonly across: Int16Array;
  readonly down: Int16Array;
}

export function findGradient(image: GrayImage): Gradient {
  const { width, height, data } = image;
  const across = new Int16Array(width * height);
  const down = new Int16Array(width * height);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1, i = y * width + 1; x < width - 1; x += 1, i += 1) {
      const above = i - width;
      const below = i + width;
      const right = data[above + 1]! + 2 * data[i + 1]! + data[below + 1]!;
      const left = data[above - 1]! + 2 * data[i - 1]! + data[below - 1]!;
      const lower = data[below - 1]! + 2 * data[below]! + data[below + 1]!;
      const upper = data[above - 1]! + 2 * data[above]! + data[above + 1]!;
      across[i] = (right - left) >> 1;
      down[i] = (lower - upper) >> 1;
    }
  }
  return { width, height, across, down };
}
