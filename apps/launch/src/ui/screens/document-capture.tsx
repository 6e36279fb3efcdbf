// The camera's picture with a frame for the document, what to do now, and how far it is.
import type { DocumentCaptureScreen } from '../../course/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { sideText } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { Button } from '../parts/button.tsx';
import { CameraStage } from '../parts/camera-stage.tsx';
import type { ScreenProps } from '../parts/screen-frame.tsx';
import { StopColours } from '../parts/stop-colours.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

/** As wide as a passport's page and a card are for their height. */
const PAGE = 'M70 6h54a7 7 0 0 1 7 7v74a7 7 0 0 1-7 7H16a7 7 0 0 1-7-7V13a7 7 0 0 1 7-7z';
const CARD = 'M70 11.5h54a7 7 0 0 1 7 7v63a7 7 0 0 1-7 7H16a7 7 0 0 1-7-7v-63a7 7 0 0 1 7-7z';

const DRAWINGS = new Map<TextKey, DrawingName>([
  ['scan.closer', 'closer'],
  ['scan.farther', 'farther'],
  ['scan.edges', 'document'],
  ['scan.glare', 'sun'],
  ['scan.blur', 'lens'],
  ['guide.tooDark', 'lamp'],
  ['scan.turnOver', 'turnOver'],
]);

export function DocumentCaptureView({ screen, actions, words }: ScreenProps<DocumentCaptureScreen>) {
  const { kind, prompt, tone, progress, light } = screen;
  const drawing = tone === 'good' ? 'check' : (DRAWINGS.get(prompt) ?? kind);
  return (
    <CameraStage
      screen={screen}
      actions={actions}
      words={words}
      shape="window"
      label={words.text('accessibility.documentView')}
      outline={{ path: kind === 'passport' ? PAGE : CARD, viewBox: '0 0 140 100' }}
      share={progress.share}
      sign={[drawing, 'bottom']}
      count={sideText(progress, words)}
      side={screen.side}
      glow={light}
      buttons={
        <>
          {light && <StopColours actions={actions} words={words} />}
          <Button kind="quiet" onPress={actions.otherDocument}>
            {words.text('document.otherKind')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    />
  );
}
