import {
  averagePoints,
  type Frame,
  LEFT_EYE,
  mapOntoBox,
  type Points,
  RIGHT_EYE,
  readPixels,
  softmax,
} from '@limen/face-geometry';
import { type FaceModels, getInput, runSingleOutput } from './models.ts';

export interface Eyes {
  /** Probability that each eye is closed; left and right of the picture. */
  left: number;
  right: number;
  /** Mean of both, used by the rules. */
  closed: number;
}

/** Side of the model's square relative to the eye's width. */
const MARGIN = 1.6;

export async function readEyes(models: FaceModels, frame: Frame, landmarks: Points): Promise<Eyes> {
  const left = await readEye(models, frame, landmarks, LEFT_EYE);
  const right = await readEye(models, frame, landmarks, RIGHT_EYE);
  return { left, right, closed: (left + right) / 2 };
}

async function readEye(models: FaceModels, frame: Frame, landmarks: Points, eye: typeof LEFT_EYE | typeof RIGHT_EYE) {
  const input = getInput(models, 'eye');
  const [x, y] = averagePoints(landmarks, eye.lids);
  const [start, end] = eye.corners;
  const width = Math.hypot(
    landmarks[end * 2]! - landmarks[start * 2]!,
    landmarks[end * 2 + 1]! - landmarks[start * 2 + 1]!,
  );
  const side = Math.max(width * MARGIN, 1);
  const from = mapOntoBox({ x: x - side / 2, y: y - side / 2, width: side, height: side }, input.width, input.height);
  const output = await runSingleOutput(models, 'eye', readPixels(frame, input, { from, beyond: 'edge' }), 2);
  return softmax(output)[0]!;
}
