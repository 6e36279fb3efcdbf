// The drawing that goes with each thing a person can be asked to do before the camera, and where it is put.
import type { CapturePrompt, CaptureScreen } from '../../course/screens.ts';
import { MOVEMENT_LOOKS } from '../../face/movement/movement-looks.ts';
import type { DrawingName } from '../drawings/drawing.tsx';

/** Of the oval, as the screen shows it: the preview is a mirror, so the person's left is on the left in every language. */
export type Side = 'left' | 'right' | 'top' | 'bottom';

type Placed = readonly [DrawingName, Side];
type MovementPrompt = (typeof MOVEMENT_LOOKS)[keyof typeof MOVEMENT_LOOKS]['prompt'];

/** A movement whose drawing is missing does not compile. */
const OF_MOVEMENTS: ReadonlyMap<CapturePrompt, Placed> = new Map(
  Object.values(MOVEMENT_LOOKS).map(({ prompt, drawing, side }): [MovementPrompt, Placed] => [prompt, [drawing, side]]),
);

const DRAWINGS: Record<Exclude<CapturePrompt, MovementPrompt>, Placed> = {
  'guide.oval': ['face', 'bottom'],
  'guide.noFace': ['noFace', 'bottom'],
  'guide.severalFaces': ['severalFaces', 'bottom'],
  'guide.tooFar': ['closer', 'bottom'],
  'guide.tooClose': ['farther', 'bottom'],
  'guide.moveLeft': ['arrowLeft', 'left'],
  'guide.moveRight': ['arrowRight', 'right'],
  'guide.moveUp': ['arrowUp', 'top'],
  'guide.moveDown': ['arrowDown', 'bottom'],
  'guide.tooDark': ['lamp', 'bottom'],
  'guide.tooBright': ['sun', 'bottom'],
  'guide.blurred': ['lens', 'bottom'],
  'guide.turnedAway': ['face', 'bottom'],
  'guide.lookAhead': ['face', 'bottom'],
  'guide.glasses': ['glasses', 'bottom'],
  'guide.holdStill': ['check', 'bottom'],
  'guide.colours': ['face', 'bottom'],
  'challenge.back': ['face', 'bottom'],
  'challenge.done': ['check', 'bottom'],
  'challenge.again': ['clock', 'bottom'],
  'challenge.sameFace': ['faceInView', 'bottom'],
};

export function drawingOf({ prompt, tone }: CaptureScreen): Placed {
  // That something went well is said by the check mark, whatever the words.
  if (tone === 'good') return ['check', 'bottom'];
  return OF_MOVEMENTS.get(prompt) ?? DRAWINGS[prompt as keyof typeof DRAWINGS];
}
