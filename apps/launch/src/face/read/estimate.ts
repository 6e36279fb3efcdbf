// Analyzes frames for the worker: quickly during guidance, and in depth for the examination.

import type { Box, Frame } from '@limen/face-geometry';
import { computeMedian, estimatePose, type Pose } from '@limen/face-geometry';
import type { AgeBound } from '@limen/plan';
import type { ChallengeObservation } from '../movement/challenge-rules.ts';
import {
  type Advice,
  chooseAdvice,
  chooseFace,
  type FaceMeasures,
  findProblems,
  measureFace,
  type QualityProblem,
} from '../quality.ts';
import { type AgeEstimate, combineAges, estimateAge, readAge } from './age.ts';
import { detectFaces } from './detect.ts';
import { combineFrames, embedFace } from './embed.ts';
import { type Eyes, readEyes } from './eyes.ts';
import { findLandmarks } from './landmarks.ts';
import { scoreLiveness } from './liveness.ts';
import type { FaceModels } from './models.ts';

export interface FaceReading extends FaceMeasures {
  box: Box;
  score: number;
  landmarks: Float32Array;
  pose: Pose;
  eyes: Eyes;
}

export interface FrameReport {
  people: number;
  /** The largest face; null if there is none. */
  face: FaceReading | null;
  /** Problems in the order in which to show them. Empty if the frame can be examined. */
  problems: QualityProblem[];
  /** Possible improvement of a good frame; null if there are problems. */
  advice: Advice | null;
}

/** Needs the models detect, landmarks and eye. */
export async function watchFrame(models: FaceModels, frame: Frame): Promise<FrameReport> {
  const { face: found, people } = chooseFace(await detectFaces(models, frame));
  const face = found && (await readFace(models, frame, found));
  const problems = findProblems({ frame, people, face });
  return { people: face ? people : 0, face, problems, advice: chooseAdvice(face, problems) };
}

async function readFace(models: FaceModels, frame: Frame, found: { box: Box; score: number }) {
  const landmarks = await findLandmarks(models, frame, found.box);
  const pose = estimatePose(landmarks);
  if (!pose) return null;
  return {
    ...found,
    landmarks,
    pose,
    eyes: await readEyes(models, frame, landmarks),
    ...measureFace(frame, landmarks),
  };
}

/** Returns the observation for the challenges, which follow exactly one person. */
export function toObservation({ people, face }: FrameReport): ChallengeObservation | null {
  if (!face || people !== 1) return null;
  return { landmarks: face.landmarks, pose: face.pose, eyesClosed: face.eyes.closed };
}

export interface ExamineOptions {
  age: boolean;
  ageBound?: AgeBound;
  embedding: boolean;
}

export interface Examination {
  liveness: number;
  age: AgeEstimate | null;
  embedding: Float32Array | null;
}

/** Needs the liveness model and the models of the requested values. */
export async function examineFrame(
  models: FaceModels,
  frame: Frame,
  { box, landmarks }: Pick<FaceReading, 'box' | 'landmarks'>,
  wanted: ExamineOptions,
): Promise<Examination> {
  return {
    liveness: await scoreLiveness(models, frame, box),
    age: wanted.age ? estimateAge(await readAge(models, frame, box, landmarks), wanted.ageBound) : null,
    embedding: wanted.embedding ? await embedFace(models, frame, landmarks) : null,
  };
}

/** Combines by medians and by the common direction of similar embeddings. Returns null for none. */
export function combineExaminations(examinations: readonly Examination[]): Examination | null {
  if (examinations.length === 0) return null;
  return {
    liveness: computeMedian(examinations.map(({ liveness }) => liveness)),
    age: combineAges(examinations.flatMap(({ age }) => age ?? [])),
    embedding: combineFrames(examinations.flatMap(({ embedding }) => embedding ?? [])),
  };
}
