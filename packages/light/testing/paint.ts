// What programs do to a picture so that it seems lit by the screen: cheap ways, without a model of the head.

import type { Frame } from '@limen/face-geometry';
import { type Rgb, toLight } from '../src/colours.ts';
import { toCode } from './camera.ts';
import type { Room } from './room.ts';

/** Where the face is: its middle, and pixels between the eyes. */
interface Placed {
  x: number;
  y: number;
  size: number;
}

/** Full in the middle of a face, and less and less towards its edge; in distances between the eyes. */
export function feather(u: number, v: number): number {
  return Math.max(1 - (u / 1.5) ** 2 - ((v - 0.36) / 2) ** 2, 0);
}

/** Of the light of a picture, on a face as a rule. */
const SKIN_LIGHT = 0.15;

/** So that the face answers about as much as it would to the screen. */
export function opacityOf(room: Room): number {
  return Math.min(0.2 * shareOf(room), 0.3);
}

/** Of the screen's light beside the room's. */
export function shareOf({ screenLux, pageShare, ambientLux }: Room): number {
  return (screenLux * pageShare) / ambientLux;
}

/** As light adds to light, by the values of the picture alone: whoever does that needs no mesh of the head. */
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

/** As drawing programs lay a translucent colour over a face: mixed as it is written down, with a soft edge. */
export function layOver({ width, height, data }: Frame, { x, y, size }: Placed, emission: Rgb, opacity: number): void {
  const colour = emission.map(toCode);
  for (let py = 0; py < height; py += 1)
    for (let px = 0; px < width; px += 1) {
      const share = opacity * Math.min(3 * feather((px - x) / size, (py - y) / size), 1);
      const o = (py * width + px) * 4;
      for (let c = 0; c < 3; c += 1) data[o + c]! += share * (colour[c]! - data[o + c]!);
    }
}
