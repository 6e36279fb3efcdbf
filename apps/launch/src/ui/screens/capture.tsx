// Camera preview in an oval, with the prompt and the progress.
import type { CapturePrompt, CaptureScreen } from '../../course/screens.ts';
import { MOVEMENT_LOOKS } from '../../face/movement/movement-looks.ts';
import { movementText } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { CameraStage } from '../parts/camera-stage.tsx';
import type { ScreenProps } from '../parts/screen-frame.tsx';
import { StopColors } from '../parts/stop-colours.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const RING = { path: 'M50 2a48 62 0 0 1 0 124a48 62 0 0 1 0-124z', viewBox: '0 0 100 128' };

export function CaptureView({ screen, actions, words }: ScreenProps<CaptureScreen>) {
  const { progress, light } = screen;
  return (
    <CameraStage
      screen={screen}
      actions={actions}
      words={words}
      shape="oval"
      label={words.text('accessibility.cameraView')}
      outline={RING}
      share={progress?.share ?? 0}
      sign={chooseDrawing(screen)}
      count={movementText(screen, words)}
      glow={light}
      buttons={
        <>
          {light && <StopColors actions={actions} words={words} />}
          <CancelButton actions={actions} words={words} />
        </>
      }
    />
  );
}

/** Side of the oval. The preview is a mirror: the person's left is on the left. */
type Side = 'left' | 'right' | 'top' | 'bottom';

type PlacedDrawing = readonly [DrawingName, Side];
type MovementPrompt = (typeof MOVEMENT_LOOKS)[keyof typeof MOVEMENT_LOOKS]['prompt'];

/** Fails to compile if a movement has no drawing. */
const MOVEMENT_DRAWINGS: ReadonlyMap<CapturePrompt, PlacedDrawing> = new Map(
  Object.values(MOVEMENT_LOOKS).map(({ prompt, drawing, side }): [MovementPrompt, PlacedDrawing] => [
    prompt,
    [drawing, side],
  ]),
);

const DRAWINGS: Record<Exclude<CapturePrompt, MovementPrompt>, PlacedDrawing> = {
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

function chooseDrawing({ prompt, tone }: CaptureScreen): PlacedDrawing {
  // The check mark shows success, regardless of the words.
  if (tone === 'good') return ['check', 'bottom'];
  return MOVEMENT_DRAWINGS.get(prompt) ?? DRAWINGS[prompt as keyof typeof DRAWINGS];
}
