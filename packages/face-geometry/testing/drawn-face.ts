// Landmarks of a synthetic head in any pose: the generic face in front of a camera.

import { GENERIC_FACE } from '../src/generic-face.ts';
import { FIRST_INNER, LANDMARKS, LEFT_EYE, RIGHT_EYE } from '../src/landmarks.ts';

export interface HeadPose {
  /** Degrees, as in `Pose`. */
  yaw?: number;
  pitch?: number;
  roll?: number;
  /** Distance of the camera in eye distances. */
  distance?: number;
  /** Position in the frame, and pixels between the eyes. */
  x?: number;
  y?: number;
  size?: number;
  /** Opening of the eyes: 1 is open. */
  opening?: number;
}

/** Distance of the pivot behind the eyes, in eye distances. */
const NECK = 0.8;

/** Returns all 68 points. The unused jaw stays at the middle of the face. */
export function drawLandmarks(pose: HeadPose = {}): Float64Array {
  const { yaw = 0, pitch = 0, roll = 0, distance = 9, x = 320, y = 240, size = 80, opening = 1 } = pose;
  const [a, b, c] = [yaw, pitch, roll].map((degrees) => (degrees * Math.PI) / 180) as [number, number, number];
  const points = new Float64Array(LANDMARKS * 2).map((_, i) => (i % 2 === 0 ? x : y));
  for (let i = 0; i < LANDMARKS - FIRST_INNER; i += 1) {
    const isLid = [...LEFT_EYE.lids, ...RIGHT_EYE.lids].some((lid) => lid === FIRST_INNER + i);
    const [px, pz] = [GENERIC_FACE[i * 3]!, GENERIC_FACE[i * 3 + 2]! + NECK];
    const py = GENERIC_FACE[i * 3 + 1]! * (isLid ? opening : 1) - 0.5;
    const [qx, qz] = [Math.cos(a) * px + Math.sin(a) * pz, Math.cos(a) * pz - Math.sin(a) * px];
    const [ry, rz] = [Math.cos(b) * py - Math.sin(b) * qz, Math.sin(b) * py + Math.cos(b) * qz];
    const scale = (size * distance) / (distance - rz);
    points[(FIRST_INNER + i) * 2] = x + scale * (Math.cos(c) * qx - Math.sin(c) * ry);
    points[(FIRST_INNER + i) * 2 + 1] = y + scale * (Math.sin(c) * qx + Math.cos(c) * ry);
  }
  return points;
}
