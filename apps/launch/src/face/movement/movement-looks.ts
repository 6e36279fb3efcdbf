// How each movement is requested. Separate from its detection, which the first screen does not
// need.
import type { Movement } from '@limen/plan';

interface MovementLook {
  /** Key of its text. A missing text does not compile where it is shown. */
  prompt: string;
  /** Name and side of its drawing; the preview is mirrored. */
  drawing: string;
  side: 'left' | 'right' | 'top' | 'bottom';
}

export const MOVEMENT_LOOKS = {
  turn_left: { prompt: 'challenge.turnLeft', drawing: 'arrowLeft', side: 'left' },
  turn_right: { prompt: 'challenge.turnRight', drawing: 'arrowRight', side: 'right' },
  look_up: { prompt: 'challenge.lookUp', drawing: 'arrowUp', side: 'top' },
  blink: { prompt: 'challenge.blink', drawing: 'closedEyes', side: 'bottom' },
} as const satisfies Record<Movement, MovementLook>;
