// What the models would say of frames that nobody took: a made-up head that turns, nods and blinks.

import { estimatePose } from '@limen/face-geometry';
import { drawLandmarks, type HeadPose } from '@limen/face-geometry/testing/drawn-face.ts';
import type { FacePlanStep, Movement } from '@limen/plan';
import type { FrameReport, QualityProblem } from '../../src/face/index.ts';
import { DEFAULT_QUALITY_RULES } from '../../src/face/quality.ts';
import { drawAnswer } from '../draw-answer.ts';
import { FACE_STEP } from './fake-flow.ts';

export const FRAME_SIZE = { width: 640, height: 480 };

export interface Look extends HeadPose {
  eyesClosed?: number;
  people?: number;
  problems?: QualityProblem[];
  glasses?: boolean;
  /** Whose face it is; everybody's where it is not said. */
  who?: string;
  /** The frames repeat to the last bit. */
  repeats?: true;
  /** Where the middle of the face is, as shares of the frame. */
  middle?: { x: number; y: number };
  /** The head's own landmarks where they are not given. */
  landmarks?: Float64Array;
}

export function reportOf(look: Look = {}): FrameReport {
  const { eyesClosed = 0.05, people = 1, problems = [], glasses = false, middle = { x: 0.5, y: 0.5 } } = look;
  if (people === 0) return { people, face: null, problems: ['no_face'], advice: null };
  const landmarks = Float32Array.from(look.landmarks ?? drawLandmarks(look));
  const box = { width: 200, height: 240, x: middle.x * FRAME_SIZE.width - 100, y: middle.y * FRAME_SIZE.height - 120 };
  return {
    people,
    face: {
      box,
      landmarks,
      score: 0.99,
      light: 120,
      sharpness: 0.3,
      glasses: 0,
      pose: estimatePose(landmarks)!,
      eyes: { left: eyesClosed, right: eyesClosed, closed: eyesClosed },
    },
    problems: people > 1 ? ['several_faces', ...problems] : problems,
    advice: glasses && problems.length === 0 ? 'glasses' : null,
  };
}

function answer(movement: Movement): Look[] {
  return drawAnswer(movement).map(({ pose, eyesClosed }) => {
    const isTurned = Math.abs(pose.yaw ?? 0) > DEFAULT_QUALITY_RULES.maxYaw;
    return { ...pose, eyesClosed, problems: isTurned ? ['turned_away'] : [] };
  });
}

/** From the first look at rest to the last movement and back. */
export function answerAll({ challenges }: Pick<FacePlanStep, 'challenges'>): Look[] {
  return [...lookAhead(6), ...challenges.flatMap((challenge) => [...answer(challenge), {}])];
}

/** All that a face step asks for. */
export const GOOD: readonly Look[] = answerAll(FACE_STEP);

export function lookAhead(frames: number, look: Look = {}): Look[] {
  return Array.from({ length: frames }, () => look);
}

/** A picture on paper that is turned before the camera: it gets narrower, and that is all. */
export function tiltPaper(): Look {
  return { landmarks: drawLandmarks().map((value, i) => (i % 2 === 0 ? value * 0.75 : value)) };
}
