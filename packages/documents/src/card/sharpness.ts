// How sharp print is: how much of its edges a slight blur takes away. What is blurred already hardly changes.
import type { GrayImage } from '../image/gray.ts';
import type { Box } from './box.ts';

/** Change over four blurred pixels that counts as an edge, far above what noise leaves of itself. */
const LEAST_CHANGE = 18;
const LEAST_EDGES = 300;

/** About 0.6 for a sharp picture, 0.35 with a blur of 1.5 px; null where there are hardly any edges. */
export function measureSharpness(image: GrayImage, { left, top, right, bottom }: Box): number | null {
  const { width, data } = image;
  if (right - left < 20) return null;
  const blurred = new Float32Array(right - left);
  let [edges, own, after] = [0, 0, 0];
  for (let y = top; y < bottom; y += 3) {
    const row = y * width + left;
    for (let x = 2; x < blurred.length - 2; x += 1) {
      const at = row + x;
      blurred[x] = (data[at - 2]! + data[at - 1]! + data[at]! + data[at + 1]! + data[at + 2]!) / 5;
    }
    for (let x = 4; x < blurred.length - 4; x += 1) {
      const wide = blurred[x + 2]! - blurred[x - 2]!;
      if (wide < LEAST_CHANGE && wide > -LEAST_CHANGE) continue;
      const sharp = data[row + x + 1]! - data[row + x - 1]!;
      const soft = blurred[x + 1]! - blurred[x - 1]!;
      edges += 1;
      own += sharp * sharp;
      after += soft * soft;
    }
  }
  return edges < LEAST_EDGES || own === 0 ? null : 1 - after / own;
}
