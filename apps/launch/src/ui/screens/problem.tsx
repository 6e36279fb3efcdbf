// Something is in the way, and the ways on.
import type { Problem, Screen } from '../../flow/screens.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

const DRAWINGS: Record<Problem, DrawingName> = {
  dark: 'lamp',
  faces: 'severalFaces',
  scan: 'noFace',
  unplugged: 'cameraOff',
  unsupported: 'browser',
  unexpected: 'attention',
  models: 'offline',
  broken: 'attention',
};

export function ProblemView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'problem' }>>) {
  const { problem, canRetry, canUsePhone, canCancel = true } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={DRAWINGS[problem]}
      buttons={
        <>
          {canRetry && (
            <Button kind="primary" onPress={actions.retry}>
              {words.text('action.retry')}
            </Button>
          )}
          {canUsePhone && (
            <Button kind={canRetry ? 'secondary' : 'primary'} onPress={actions.usePhone}>
              {words.text('action.otherDevice')}
            </Button>
          )}
          {canCancel && (
            <Button kind="quiet" onPress={actions.askToCancel}>
              {words.text('action.cancel')}
            </Button>
          )}
        </>
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
    </ScreenFrame>
  );
}
