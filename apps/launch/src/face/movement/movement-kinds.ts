// Movements of the challenges: when each counts as done, and how a head does it. A new one needs a
// name in packages/plan, an entry here, and one in movement-looks.ts.
import type { Movement } from '@limen/plan';
import { type ChallengeObservation, type ChallengeRules, type Change, isAtRest } from './challenge-rules.ts';

/** Degrees as in `Pose`, and how far the lids are closed. */
export interface HeadPosition {
  yaw: number;
  pitch: number;
  roll: number;
  lids: number;
}

export interface MovementKind {
  /** Follows one answer frame by frame, also after a lost face. Returns true once it is done. */
  follow(rules: ChallengeRules): (observation: ChallengeObservation, change: Change) => boolean;
  /** Held for a while, or done at once. */
  tempo: 'held' | 'quick';
  /** Returns the head between 0 at rest and 1 at the end, for simulated people. */
  move(share: number, reach: { turnDegrees: number; upDegrees: number }): Partial<HeadPosition>;
}

export const MOVEMENT_KINDS = {
  turn_left: turnTo(1),
  turn_right: turnTo(-1),
  look_up: {
    tempo: 'held',
    follow: followPose(
      (change, rules) =>
        change.pitch >= rules.upDegrees &&
        change.beyondHomography >= rules.upBeyondHomography &&
        change.widening >= rules.upWidening,
    ),
    move: (share, { upDegrees }) => ({ pitch: share * upDegrees, yaw: share * 2 }),
  },
  blink: { tempo: 'quick', follow: followBlink, move: (share) => ({ lids: share }) },
} as const satisfies Record<Movement, MovementKind>;

/** Creates a turn to a side (1: the person's left), beyond what a flat picture can do. */
function turnTo(side: 1 | -1): MovementKind {
  return {
    tempo: 'held',
    follow: followPose((change, rules) => hasTurned(side, change, rules)),
    move: (share, { turnDegrees }) => ({ yaw: side * share * turnDegrees, pitch: share * -2, roll: side * share * 2 }),
  };
}

function hasTurned(side: 1 | -1, change: Change, rules: ChallengeRules): boolean {
  const angle = (Math.hypot(change.yaw, change.pitch) * Math.PI) / 180;
  return (
    side * change.yaw >= rules.turnDegrees &&
    // The two measures of a turn agreed within a tenth in trials.
    side * change.yawFromNose >= rules.turnDegrees / 2 &&
    change.beyondHomography >= rules.turnBeyondHomography &&
    change.squeeze >= rules.turnSqueezeShare * Math.cos(angle)
  );
}

/** A pose counts after some frames, if the head looks neither flat nor tilted. */
function followPose(isReached: (change: Change, rules: ChallengeRules) => boolean): MovementKind['follow'] {
  return (rules) => {
    let held = 0;
    return (_observation, change) => {
      held = isUprightAndDeep(change, rules) && isReached(change, rules) ? held + 1 : 0;
      return held >= rules.holdFrames;
    };
  };
}

function isUprightAndDeep(change: Change, rules: ChallengeRules): boolean {
  if (Math.abs(change.roll) > rules.maxLeanDegrees) return false;
  return change.beyondHomography >= rules.depthShare * change.beyondSimilarity;
}

/** Both eyes close and open again while the head is still. */
function followBlink(rules: ChallengeRules): ReturnType<MovementKind['follow']> {
  let eyes: 'open' | 'closed' | null = null;
  return ({ eyesClosed }, change) => {
    if (!isAtRest(change, rules) || change.besideEyes > rules.blinkBesideEyes) {
      eyes = null;
      return false;
    }
    const isOpen = eyesClosed < rules.eyesOpen;
    if (eyes === 'closed' && isOpen) return true;
    if (isOpen) eyes = 'open';
    else if (eyes === 'open' && eyesClosed > rules.eyesClosed && change.opening <= rules.blinkOpening) eyes = 'closed';
    return false;
  };
}
