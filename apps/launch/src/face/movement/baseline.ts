// The person at rest: the median of a few frontal frames, with which movements are compared.

import {
  applyAffine,
  computeMedian,
  estimateYawFromNose,
  fitSimilarity,
  measureEyeToMouth,
  type Points,
  takeInner,
} from '@limen/face-geometry';
import { type Baseline, type ChallengeObservation, type ChallengeRules, isFrontal } from './challenge-rules.ts';
import { measureMotion } from './planarity.ts';

export type BaselineCollector = ReturnType<typeof createBaselineCollector>;

/** Collects frames. Restarts after a frame that is not frontal or has another shape. */
export function createBaselineCollector(rules: ChallengeRules) {
  let frames: ChallengeObservation[] = [];
  return {
    get count(): number {
      return frames.length;
    },
    /** Returns the baseline once there are enough frames. */
    add(observation: ChallengeObservation): Baseline | null {
      const [first] = frames;
      if (!isFrontal(observation, rules)) frames = [];
      else if (first && !isSameShape(first, observation, rules)) frames = [observation];
      else frames.push(observation);
      return frames.length >= rules.baselineFrames ? combineFrames(frames) : null;
    },
  };
}

function isSameShape(first: ChallengeObservation, second: ChallengeObservation, rules: ChallengeRules): boolean {
  const unit = measureEyeToMouth(second.landmarks);
  const motion = measureMotion(takeInner(first.landmarks), takeInner(second.landmarks), unit);
  return motion.beyondSimilarity < rules.flatBeyondSimilarity;
}

function combineFrames(frames: readonly ChallengeObservation[]): Baseline {
  // A resting head sways, so align the frames first.
  const laid = frames.map(({ landmarks }) => layOnto(landmarks, frames[0]!.landmarks));
  const landmarks = laid[0]!.map((_, i) => computeMedian(laid.map((points) => points[i]!)));
  const middle = (read: (frame: ChallengeObservation) => number) => computeMedian(frames.map(read));
  return {
    landmarks,
    pose: {
      yaw: middle(({ pose }) => pose.yaw),
      pitch: middle(({ pose }) => pose.pitch),
      roll: middle(({ pose }) => pose.roll),
    },
    yawFromNose: middle((frame) => estimateYawFromNose(frame.landmarks)),
  };
}

function layOnto(points: Points, target: Points): number[] {
  const map = fitSimilarity(points, target);
  const laid: number[] = [];
  for (let i = 0; i < points.length; i += 2) laid.push(...applyAffine(map, points[i]!, points[i + 1]!));
  return laid;
}
