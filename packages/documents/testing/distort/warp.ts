// Renders one frame from the top view. Runs for every frame of a live camera.

import type { Picture } from '../../src/image/gray.ts';
import type { Scene } from './canvas.ts';
import type { Projection } from './pose.ts';

/** Packs red and blue, or green and alpha, into one number, to process two channels at once. */
const PAIR = 0x00ff00ff;
const HALVES = 0x00800080;

/** Samples bilinearly. The scene has about the frame's resolution, so averaging is not needed. */
export function warpScene(scene: Scene, toPlane: Projection, target: Picture): void {
  const { pixelsPerMillimetre: scale, originX, originY, width: across } = scene;
  const source = new Uint32Array(scene.data.buffer);
  const { width, height, data } = target;
  const pixels = new Uint32Array(data.buffer);
  const [maxX, maxY] = [scene.width - 1.01, scene.height - 1.01];
  const [stepX, stepY, stepZ] = [toPlane[0]!, toPlane[3]!, toPlane[6]!];
  let at = 0;
  for (let row = 0; row < height; row += 1) {
    const y = row + 0.5;
    let planeX = stepX * 0.5 + toPlane[1]! * y + toPlane[2]!;
    let planeY = stepY * 0.5 + toPlane[4]! * y + toPlane[5]!;
    let planeZ = stepZ * 0.5 + toPlane[7]! * y + toPlane[8]!;
    for (let column = 0; column < width; column += 1) {
      const depth = 1 / planeZ;
      const u = Math.min(maxX, Math.max(0, (planeX * depth - originX) * scale - 0.5));
      const v = Math.min(maxY, Math.max(0, (planeY * depth - originY) * scale - 0.5));
      const left = u | 0;
      const top = v | 0;
      const right = ((u - left) * 256) | 0;
      const lower = ((v - top) * 256) | 0;
      const place = top * across + left;
      const a = source[place]!;
      const b = source[place + 1]!;
      const c = source[place + across]!;
      const d = source[place + across + 1]!;
      const upperPair = mixPairs(a & PAIR, b & PAIR, right);
      const lowerPair = mixPairs(c & PAIR, d & PAIR, right);
      const upperRest = mixPairs((a >>> 8) & PAIR, (b >>> 8) & PAIR, right);
      const lowerRest = mixPairs((c >>> 8) & PAIR, (d >>> 8) & PAIR, right);
      pixels[at] = mixPairs(upperPair, lowerPair, lower) | (mixPairs(upperRest, lowerRest, lower) << 8) | 0xff000000;
      at += 1;
      planeX += stepX;
      planeY += stepY;
      planeZ += stepZ;
    }
  }
}

/** `part`: share of the second, in 1/256. */
function mixPairs(a: number, b: number, part: number): number {
  return ((Math.imul(a, 256 - part) + Math.imul(b, part) + HALVES) >>> 8) & PAIR;
}
