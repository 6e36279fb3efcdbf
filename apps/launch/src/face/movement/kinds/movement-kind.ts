// What there is to say of a movement: when it counts as done, and how a head does it. How it is asked for is in movement-looks.ts.
import type { ChallengeObservation, ChallengeRules, Change } from '../challenge-rules.ts';

/** Degrees as in `Pose`, and how far the lids are closed. */
export interface HeadPosition {
  yaw: number;
  pitch: number;
  roll: number;
  lids: number;
}

export interface MovementKind {
  /** One answer, frame by frame, from when it is shown or a lost face is back; true once it is done. */
  follow(rules: ChallengeRules): (observation: ChallengeObservation, change: Change) => boolean;
  /** Held for a while, or over at once. */
  tempo: 'held' | 'quick';
  /** The head on its way: 0 at rest, 1 where it is going. For whoever plays a person. */
  move(share: number, reach: { turnDegrees: number; upDegrees: number }): Partial<HeadPosition>;
}

/** A pose counts when it is held for some frames; nothing else of the head may look flat or lean over. */
export function followPose(isThere: (change: Change, rules: ChallengeRules) => boolean): MovementKind['follow'] {
  return (rules) => {
    let held = 0;
    return (_observation, change) => {
      held = isUprightAndDeep(change, rules) && isThere(change, rules) ? held + 1 : 0;
      return held >= rules.holdFrames;
    };
  };
}

function isUprightAndDeep(change: Change, rules: ChallengeRules): boolean {
  if (Math.abs(change.roll) > rules.maxLeanDegrees) return false;
  return change.beyondHomography >= rules.depthShare * change.beyondSimilarity;
}
