// The camera's picture in an oval, what to do now, and how far it is.
import type { CaptureScreen } from '../../course/screens.ts';
import { movementText } from '../announce.ts';
import { CameraStage } from '../parts/camera-stage.tsx';
import type { ScreenProps } from '../parts/screen-frame.tsx';
import { StopColours } from '../parts/stop-colours.tsx';
import { CancelButton } from '../parts/ways-out.tsx';
import { drawingOf } from './prompts.ts';

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
      sign={drawingOf(screen)}
      count={movementText(screen, words)}
      glow={light}
      buttons={
        <>
          {light && <StopColours actions={actions} words={words} />}
          <CancelButton actions={actions} words={words} />
        </>
      }
    />
  );
}
