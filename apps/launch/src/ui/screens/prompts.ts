// The drawing that goes with each thing a person can be asked to do before the camera, and where it is put.
import type { CaptureScreen } from '../../course/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import type { DrawingName } from '../drawings/drawing.tsx';

/** Of the oval, as the screen shows it: the preview is a mirror, so the person's left is on the left in every language. */
export type Side = 'left' | 'right' | 'top' | 'bottom';

const PROMPTS = new Map<TextKey, readonly [DrawingName, Side]>([
  ['guide.oval', ['face', 'bottom']],
  ['guide.noFace', ['noFace', 'bottom']],
  ['guide.severalFaces', ['severalFaces', 'bottom']],
  ['guide.tooFar', ['closer', 'bottom']],
  ['guide.tooClose', ['farther', 'bottom']],
  ['guide.moveLeft', ['arrowLeft', 'left']],
  ['guide.moveRight', ['arrowRight', 'right']],
  ['guide.moveUp', ['arrowUp', 'top']],
  ['guide.moveDown', ['arrowDown', 'bottom']],
  ['guide.tooDark', ['lamp', 'bottom']],
  ['guide.tooBright', ['sun', 'bottom']],
  ['guide.blurred', ['lens', 'bottom']],
  ['guide.turnedAway', ['face', 'bottom']],
  ['guide.lookAhead', ['face', 'bottom']],
  ['guide.glasses', ['glasses', 'bottom']],
  ['challenge.turnLeft', ['arrowLeft', 'left']],
  ['challenge.turnRight', ['arrowRight', 'right']],
  ['challenge.lookUp', ['arrowUp', 'top']],
  ['challenge.blink', ['closedEyes', 'bottom']],
  ['challenge.back', ['face', 'bottom']],
  ['challenge.again', ['clock', 'bottom']],
]);

const TONES: Record<CaptureScreen['tone'], DrawingName> = { wait: 'wait', fix: 'attention', do: 'face', good: 'check' };

export function drawingOf({ prompt, tone }: CaptureScreen): readonly [DrawingName, Side] {
  // That something went well is said by the check mark, whatever the words.
  if (tone === 'good') return ['check', 'bottom'];
  return PROMPTS.get(prompt) ?? [TONES[tone], 'bottom'];
}
