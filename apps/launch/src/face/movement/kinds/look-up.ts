// Lifting the chin.
import { followPose, type MovementKind } from './movement-kind.ts';

export const lookUp = {
  tempo: 'held',
  follow: followPose(
    (change, rules) =>
      change.pitch >= rules.upDegrees &&
      change.beyondHomography >= rules.upBeyondHomography &&
      change.widening >= rules.upWidening,
  ),
  move: (share, { upDegrees }) => ({ pitch: share * upDegrees, yaw: share * 2 }),
} as const satisfies MovementKind;
