// Turning the head to one side, until a flat picture could not keep up.
import type { ChallengeRules, Change } from '../challenge-rules.ts';
import { followPose, type MovementKind } from './movement-kind.ts';

function hasTurned(side: 1 | -1, change: Change, rules: ChallengeRules): boolean {
  const angle = (Math.hypot(change.yaw, change.pitch) * Math.PI) / 180;
  return (
    side * change.yaw >= rules.turnDegrees &&
    // The two ways to tell agree within a tenth where they were measured.
    side * change.yawFromNose >= rules.turnDegrees / 2 &&
    change.beyondHomography >= rules.turnBeyondHomography &&
    change.squeeze >= rules.turnSqueezeShare * Math.cos(angle)
  );
}

/** 1 is the person's own left. */
function turnTo(side: 1 | -1): MovementKind {
  return {
    tempo: 'held',
    follow: followPose((change, rules) => hasTurned(side, change, rules)),
    move: (share, { turnDegrees }) => ({ yaw: side * share * turnDegrees, pitch: share * -2, roll: side * share * 2 }),
  };
}

export const turnLeft = turnTo(1);
export const turnRight = turnTo(-1);
