// Cheap manipulations that imitate the screen's light without a model of the head.

import type { Frame } from '@limen/face-geometry';
import { type Rgb, toLight } from '../src/colours.ts';
import { toCode } from './camera.ts';
import type { Room } from './room.ts';

/** Position of the face, and pixels between the eyes. */
interface Placed {
  x: number;
  y: number;
  size: number;
}

/** Returns a weight that falls from the middle of a face to its edge. */
export function feather(u: number, v: number): number {
  return Math.max(1 - (u / 1.5) ** 2 - ((v - 0.36) / 2) ** 2, 0);
}

/** Typical light of a face in a picture. */
const SKIN_LIGHT = 0.15;

/** Returns the opacity with about the same response as the real screen. */
export function computeOpacity(room: Room): number {
  return Math.min(0.2 * computeShare(room), 0.3);
}

/** Returns the screen's light relative to the room's. */
export function computeShare({ screenLux, pageShare, ambientLux }: Room): number {
  return (screenLux * pageShare) / ambientLux;
}

/** Adds light in linear values, based on the picture alone, without a mesh. */
export function addLight(
  { width, height, data }: Frame,
  { x, y, size }: Placed,
  emission: Rgb,
  strength: number,
): void {
  for (let py = 0; py < height; py += 1)
    for (let px = 0; px < width; px += 1) {
      const share = SKIN_LIGHT * strength * Math.min(3 * feather((px - x) / size, (py - y) / size), 1);
      const o = (py * width + px) * 4;
      if (share > 0)
        for (let c = 0; c < 3; c += 1) data[o + c] = toCode(toLight(data[o + c]!) + share * emission[c as 0 | 1 | 2]);
    }
}

/** Blends a translucent color over a face with a soft edge, like drawing programs. */
export function layOver({ width, height, data }: Frame, { x, y, size }: Placed, emission: Rgb, opacity: number): void {
  const color = emission.map(toCode);
  for (let py = 0; py < height; py += 1)
    for (let px = 0; px < width; px += 1) {
      const share = opacity * Math.min(3 * feather((px - x) / size, (py - y) / size), 1);
      const o = (py * width + px) * 4;
      for (let c = 0; c < 3; c += 1) data[o + c]! += share * (color[c]! - data[o + c]!);
    }
}
