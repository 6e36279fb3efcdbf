// Measurements of a movement and their thresholds, tuned on clips of real heads and on tilted,
// squeezed, rolled and zoomed photos with the shipped models.

import type { Points } from '@limen/face-geometry';
import {
  estimateYawFromNose,
  FIRST_INNER,
  fitSimilarity,
  GENERIC_FRONT,
  LAST_OF_EYES,
  LEFT_EYE,
  measureEyeToMouth,
  measureOpening,
  type Pose,
  takeInner,
} from '@limen/face-geometry';
import { type Motion, measureMotion, measureStretch } from './planarity.ts';

export interface ChallengeRules {
  /** Time limit per challenge, from the server's plan. */
  challengeMs: number;
  /** Frames of the baseline. */
  baselineFrames: number;
  /** Consecutive frames of a pose. */
  holdFrames: number;
  turnDegrees: number;
  /** Motion that no flat picture can make, in units of the distance from eyes to mouth. */
  turnBeyondHomography: number;
  upDegrees: number;
  upBeyondHomography: number;
  /**
   * At a steep angle the landmarks of a flat picture are guesses that look like depth. But the
   * picture is narrower than a head at the apparent angle: heads keep at least this share of the
   * cosine when turning, and of width to height when looking up.
   */
  turnSqueezeShare: number;
  upWidening: number;
  /** Beyond this lean, landmarks are guesses too. */
  maxLeanDegrees: number;
  /** Minimum share of the motion beyond a similarity that is beyond a homography. */
  depthShare: number;
  /** Probability above and below which the eyes count as closed and open. */
  eyesClosed: number;
  eyesOpen: number;
  /** A blink moves little else, unlike a picture tilted until its eyes are slits. */
  blinkBesideEyes: number;
  /** Maximum opening in a blink: measured about 0.55, in tilted pictures 0.82 or more. */
  blinkOpening: number;
  /** Both angles are this close to the baseline at rest. */
  restDegrees: number;
  /** Frontal enough for the baseline. */
  frontalYaw: number;
  frontalPitch: number;
  frontalRoll: number;
  /** Minimum width relative to the generic face. The narrowest of 67 faces had 0.87. */
  frontalSqueeze: number;
  /** A flat picture moves at least this much, with at most this share beyond a homography. */
  flatBeyondSimilarity: number;
  flatShare: number;
  /** Seconds with flat motion, each counted once, until it is a spoof. */
  flatSeconds: number;
  maxAttempts: number;
}

export const DEFAULT_CHALLENGE_RULES: Omit<ChallengeRules, 'challengeMs'> = {
  baselineFrames: 5,
  holdFrames: 3,
  turnDegrees: 18,
  turnBeyondHomography: 0.035,
  upDegrees: 12,
  upBeyondHomography: 0.02,
  turnSqueezeShare: 0.88,
  upWidening: 0.95,
  maxLeanDegrees: 25,
  depthShare: 0.5,
  eyesClosed: 0.6,
  eyesOpen: 0.2,
  blinkBesideEyes: 0.04,
  blinkOpening: 0.85,
  restDegrees: 10,
  frontalYaw: 15,
  frontalPitch: 20,
  frontalRoll: 25,
  frontalSqueeze: 0.82,
  flatBeyondSimilarity: 0.05,
  flatShare: 0.4,
  flatSeconds: 4,
  maxAttempts: 3,
};

/** One frame with exactly one face. */
export interface ChallengeObservation {
  landmarks: Points;
  pose: Pose;
  /** Mean probability of both eyes. */
  eyesClosed: number;
}

/** Change relative to the person at rest. */
export interface Change extends Motion {
  yaw: number;
  yawFromNose: number;
  pitch: number;
  roll: number;
  /** Like `beyondSimilarity`, without the eyes. */
  besideEyes: number;
  /** Opening of the eyes relative to rest. */
  opening: number;
}

export interface Baseline {
  landmarks: Points;
  pose: Pose;
  yawFromNose: number;
}

export function measureChange(baseline: Baseline, { landmarks, pose }: ChallengeObservation): Change {
  const [before, after] = [takeInner(baseline.landmarks), takeInner(landmarks)];
  const unit = chooseUnit(baseline.landmarks, landmarks);
  return {
    ...measureMotion(before, after, unit),
    besideEyes: measureMotion(before.filter(isBesideEyes), after.filter(isBesideEyes), unit).beyondSimilarity,
    opening: measureOpening(landmarks) / measureOpening(baseline.landmarks),
    yaw: pose.yaw - baseline.pose.yaw,
    yawFromNose: estimateYawFromNose(landmarks) - baseline.yawFromNose,
    pitch: pose.pitch - baseline.pose.pitch,
    roll: pose.roll - baseline.pose.roll,
  };
}

/** A picture tilted far back is low, so its own height would turn noise into depth. */
function chooseUnit(before: Points, after: Points): number {
  const { a, d } = fitSimilarity(before, after);
  return Math.max(measureEyeToMouth(after), Math.hypot(a, d) * measureEyeToMouth(before));
}

function isBesideEyes(_: number, at: number): boolean {
  const landmark = FIRST_INNER + (at >> 1);
  return landmark < LEFT_EYE.corners[0] || landmark > LAST_OF_EYES;
}

export function isFrontal({ landmarks, pose, eyesClosed }: ChallengeObservation, rules: ChallengeRules): boolean {
  return (
    Math.abs(pose.yaw) <= rules.frontalYaw &&
    Math.abs(pose.pitch) <= rules.frontalPitch &&
    Math.abs(pose.roll) <= rules.frontalRoll &&
    eyesClosed < rules.eyesClosed &&
    measureStretch(GENERIC_FRONT, takeInner(landmarks)).squeeze >= rules.frontalSqueeze
  );
}

export function isAtRest(change: Change, { restDegrees, maxLeanDegrees }: ChallengeRules): boolean {
  return (
    Math.abs(change.yaw) <= restDegrees &&
    Math.abs(change.pitch) <= restDegrees &&
    Math.abs(change.roll) <= maxLeanDegrees
  );
}

/** Real heads leave 0.6 or more of the motion to depth, flat pictures a quarter. */
export function looksFlat(change: Change, rules: ChallengeRules): boolean {
  return (
    change.beyondSimilarity >= rules.flatBeyondSimilarity &&
    change.beyondHomography < rules.flatShare * change.beyondSimilarity
  );
}
