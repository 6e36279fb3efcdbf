// Motion of a head in front of a camera, including its natural sway.
import { createRandom } from './random.ts';

export interface HeadMotion {
  /** Degrees, as in `Pose`: toward the person's left, upwards, clockwise. */
  yaw: number;
  pitch: number;
  roll: number;
  /** 0: as in the portrait, 1: closed. */
  lids: number;
  /** Shift in distances between the eyes. */
  x: number;
  y: number;
}

/** Returns the small movements of a person who holds still. */
export function sway(tMs: number, seed: number): HeadMotion {
  const random = createRandom(seed);
  const wave = (size: number) => size * Math.sin((tMs / 1000) * (1 + 3 * random()) + random() * 7);
  return { yaw: wave(1), pitch: wave(0.8), roll: wave(0.6), lids: 0, x: wave(0.03), y: wave(0.02) };
}
