// Reports of the models about fake frames: a synthetic head that turns, nods and blinks.

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
  /** Person in the frame; by default the same one. */
  who?: string;
  /** Whether the frames repeat bit by bit. */
  repeats?: true;
  /** Middle of the face, as shares of the frame. */
  middle?: { x: number; y: number };
  /** Replaces the head's own landmarks. */
  landmarks?: Float64Array;
}

export function createReport(look: Look = {}): FrameReport {
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

/** Returns the frames from the first look at rest to the last movement and back. */
export function answerAll({ challenges }: Pick<FacePlanStep, 'challenges'>): Look[] {
  return [...lookAhead(6), ...challenges.flatMap((challenge) => [...answer(challenge), {}])];
}

/** Frames that pass the face step. */
export const GOOD: readonly Look[] = answerAll(FACE_STEP);

export function lookAhead(frames: number, look: Look = {}): Look[] {
  return Array.from({ length: frames }, () => look);
}

/** A tilted paper picture, which only becomes narrower. */
export function tiltPaper(): Look {
  return { landmarks: drawLandmarks().map((value, i) => (i % 2 === 0 ? value * 0.75 : value)) };
}
