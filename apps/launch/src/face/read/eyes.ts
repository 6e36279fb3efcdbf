// How likely it is that the eyes are closed.
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
import { type FaceModels, inputOf, runForOne } from './models.ts';

export interface Eyes {
  /** Probability for each eye that it is closed; left and right are the picture's. */
  left: number;
  right: number;
  /** The mean of both: what the rules go by. */
  closed: number;
}

/** Side of the square that the model sees ÷ the eye's width from corner to corner. */
const MARGIN = 1.6;

export async function readEyes(models: FaceModels, frame: Frame, landmarks: Points): Promise<Eyes> {
  const left = await readEye(models, frame, landmarks, LEFT_EYE);
  const right = await readEye(models, frame, landmarks, RIGHT_EYE);
  return { left, right, closed: (left + right) / 2 };
}

async function readEye(models: FaceModels, frame: Frame, landmarks: Points, eye: typeof LEFT_EYE | typeof RIGHT_EYE) {
  const input = inputOf(models, 'eye');
  const [x, y] = averagePoints(landmarks, eye.lids);
  const [one, other] = eye.corners;
  const width = Math.hypot(
    landmarks[other * 2]! - landmarks[one * 2]!,
    landmarks[other * 2 + 1]! - landmarks[one * 2 + 1]!,
  );
  const side = Math.max(width * MARGIN, 1);
  const from = mapOntoBox({ x: x - side / 2, y: y - side / 2, width: side, height: side }, input.width, input.height);
  const output = await runForOne(models, 'eye', readPixels(frame, input, { from, beyond: 'edge' }), 2);
  return softmax(output)[0]!;
}
