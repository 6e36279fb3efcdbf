// The camera's picture in an oval, what to do now, and how far it is.
import type { CaptureScreen } from '../../course/screens.ts';
import { progressText } from '../announce.ts';
import { Button } from '../parts/button.tsx';
import { CameraStage } from '../parts/camera-stage.tsx';
import type { ScreenProps } from '../parts/screen-frame.tsx';
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
      count={!light && progress && progressText(progress, words)}
      glow={light}
      buttons={
        <>
          {light && (
            <Button kind="quiet" onPress={actions.stopColours}>
              {words.text('light.stop')}
            </Button>
          )}
          <CancelButton actions={actions} words={words} />
        </>
      }
    />
  );
}
