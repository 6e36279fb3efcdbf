// How each movement is asked for. Apart from how it is followed, which the first screen does without.
import type { Movement } from '@limen/plan';

interface MovementLook {
  /** Key of its words; whoever shows it finds them missing when it does not compile. */
  prompt: string;
  /** Name of its drawing, in the same way, and where on the screen that stands: the preview is a mirror. */
  drawing: string;
  side: 'left' | 'right' | 'top' | 'bottom';
}

export const MOVEMENT_LOOKS = {
  turn_left: { prompt: 'challenge.turnLeft', drawing: 'arrowLeft', side: 'left' },
  turn_right: { prompt: 'challenge.turnRight', drawing: 'arrowRight', side: 'right' },
  look_up: { prompt: 'challenge.lookUp', drawing: 'arrowUp', side: 'top' },
  blink: { prompt: 'challenge.blink', drawing: 'closedEyes', side: 'bottom' },
} as const satisfies Record<Movement, MovementLook>;
