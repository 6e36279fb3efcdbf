// What is measured of a movement, and the thresholds that it is held against, which come from clips of real heads and from photos that were tilted,
// squeezed, rolled and zoomed before the models that are shipped.

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
  /** To do what is asked, from when it is shown. From the server's plan. */
  challengeMs: number;
  /** Frames that make up the picture of the person at rest. */
  baselineFrames: number;
  /** Frames in a row that a pose must be held. */
  holdFrames: number;
  turnDegrees: number;
  /** Of motion that no flat picture can make, in units of the distance from eyes to mouth. */
  turnBeyondHomography: number;
  upDegrees: number;
  upBeyondHomography: number;
  /**
   * Seen at a steep angle, landmarks of a flat picture guess, and the guesses look like depth. But it is narrower then
   * than a head that points where it seems to point: heads keep at least this share of the cosine when they turn, and of
   * their width against their height when they look up.
   */
  turnSqueezeShare: number;
  upWidening: number;
  /** Leaning further from how it was than this, landmarks guess as well. */
  maxLeanDegrees: number;
  /** Of all the motion beyond a similarity, at least this share must be beyond a homography. */
  depthShare: number;
  /** Probability that the eyes are closed, above and below which they count as closed and open. */
  eyesClosed: number;
  eyesOpen: number;
  /** A blink moves little else: a picture tilted until its eyes are slits does. */
  blinkBesideEyes: number;
  /** Closed eyes are at most this share as high as open ones. Measured: about 0.55; tilted pictures 0.82 and more. */
  blinkOpening: number;
  /** Back at rest: both angles within this of the baseline. */
  restDegrees: number;
  /** Frontal enough for the baseline. */
  frontalYaw: number;
  frontalPitch: number;
  frontalRoll: number;
  /** Nobody's face is squeezed more than this against the generic one: the narrowest of 67 kept 0.87. */
  frontalSqueeze: number;
  /** So much motion, and of it no more than this share beyond a homography: a flat picture is being moved. */
  flatBeyondSimilarity: number;
  flatShare: number;
  /** Seconds of such motion, of which one counts at most once, until it is called a spoof. */
  flatSeconds: number;
  /** Tries at all challenges. */
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

/** One frame with exactly one face in it. */
export interface ChallengeObservation {
  landmarks: Points;
  pose: Pose;
  /** Probability, mean of both eyes. */
  eyesClosed: number;
}

/** Against the person at rest. */
export interface Change extends Motion {
  yaw: number;
  yawFromNose: number;
  pitch: number;
  roll: number;
  /** As `beyondSimilarity`, without the points of the eyes. */
  besideEyes: number;
  /** Of the eyes, as a share of how far they were open. */
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

/** A picture tilted far back is low: measured by its own height, its landmarks' noise would look like depth. */
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

/** Real heads leave 0.6 of the motion to depth and more, flat pictures a quarter. */
export function looksFlat(change: Change, rules: ChallengeRules): boolean {
  return (
    change.beyondSimilarity >= rules.flatBeyondSimilarity &&
    change.beyondHomography < rules.flatShare * change.beyondSimilarity
  );
}
