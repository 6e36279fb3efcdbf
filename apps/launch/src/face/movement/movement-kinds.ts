// The movements that a person may be asked for, each with all that belongs to it. A new one is a name in packages/plan, a
// file in kinds/, a line here and one in movement-looks.ts.
import type { Movement } from '@limen/plan';
import { blink } from './kinds/blink.ts';
import { lookUp } from './kinds/look-up.ts';
import type { MovementKind } from './kinds/movement-kind.ts';
import { turnLeft, turnRight } from './kinds/turn.ts';

export const MOVEMENT_KINDS = {
  turn_left: turnLeft,
  turn_right: turnRight,
  look_up: lookUp,
  blink,
} as const satisfies Record<Movement, MovementKind>;
