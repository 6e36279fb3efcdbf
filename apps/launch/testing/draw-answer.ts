// Draws a movement of a synthetic head frame by frame, as its movement kind defines it.

import type { HeadPose } from '@limen/face-geometry/testing/drawn-face.ts';
import type { Movement } from '@limen/plan';
import { MOVEMENT_KINDS } from '../src/face/index.ts';
import type { HeadPosition } from '../src/face/movement/movement-kinds.ts';

interface DrawnMoment {
  pose: HeadPose;
  eyesClosed: number;
}

/** Far enough for every rule. */
const REACH = { turnDegrees: 22, upDegrees: 16 };
/** Frames for which a pose must be held. */
const HELD_FRAMES = 3;
const [OPEN, CLOSED] = [0.05, 0.95];

/** Returns only the frames between rest and rest. */
export function drawAnswer(movement: Movement): DrawnMoment[] {
  const { tempo } = MOVEMENT_KINDS[movement];
  const there = drawMoment(movement, 1);
  if (tempo === 'quick') return [drawMoment(movement, 0), there, drawMoment(movement, 0)];
  return Array.from({ length: HELD_FRAMES }, () => there);
}

function drawMoment(movement: Movement, share: number): DrawnMoment {
  const motion: Partial<HeadPosition> = MOVEMENT_KINDS[movement].move(share, REACH);
  const { lids = 0, ...pose } = motion;
  return { pose: { ...pose, opening: 1 - lids / 2 }, eyesClosed: OPEN + lids * (CLOSED - OPEN) };
}
